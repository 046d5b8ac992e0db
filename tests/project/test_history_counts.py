"""Steps that can be undone and redone, counted."""

from __future__ import annotations

from poise.project import Project, SetField


def test_undo_and_redo_are_counted():
    project = Project()
    for name in "abc":
        project.do(SetField(field="name", value=name))
    history = project.history
    assert (history.undoable, history.redoable) == (3, 0)
    project.undo()
    project.undo()
    assert (history.undoable, history.redoable) == (1, 2)
    assert project.document.name == "a"
    project.redo()
    assert (history.undoable, history.redoable) == (2, 1)
    project.do(SetField(field="name", value="z"))
    assert (history.undoable, history.redoable) == (3, 0)
