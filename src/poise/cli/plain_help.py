"""Help without the types of the program: a flag takes no value, and an argument is shown by its name."""

from __future__ import annotations

from typing import Any

from typer.core import TyperCommand, TyperGroup


class PlainCommand(TyperCommand):
    """A verb."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Its arguments and options, as the help shows them."""
        return [_plain(each) for each in super().get_params(ctx)]


class PlainGroup(TyperGroup):
    """The program."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Options before the verb, as the help shows them."""
        return [_plain(each) for each in super().get_params(ctx)]


def _plain(parameter: Any) -> Any:
    if getattr(parameter, "is_flag", False):
        parameter.metavar = ""
    elif parameter.param_type_name == "argument":
        parameter.display_type_rich = lambda ctx: None
    return parameter
