"""What optical capture records: markers that are seen or lost, and the forces that plates measure."""

from poise.markers.capture import Markers
from poise.markers.plates import ForcePlates

__all__ = ["ForcePlates", "Markers"]
