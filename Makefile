# Poise: `make` lists what there is. Every target sets up what it needs in .venv.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
OUT    ?= out

.DEFAULT_GOAL := help
.PHONY: help demo test check bench docs clips clean

help:  ## list the targets
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 10

demo: $(VENV)/.run  ## set up and run the main job: bake a project, with pictures and a film, in out/
	$(BIN)/poise demo --output $(OUT)

test: $(VENV)/.test check  ## set up and run every check and test
	$(BIN)/python -m pytest -n 2 --dist loadfile

check: $(VENV)/.test  ## style, formatting and types only
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: $(VENV)/.bench  ## measure against named peers; table on screen, JSON in out/
	$(BIN)/python -m benchmarks --output $(OUT)

docs: $(VENV)/.docs  ## build the documentation into site/
	$(BIN)/mkdocs build --strict

clips: $(VENV)/.test  ## author the bundled clips anew from their recipes
	$(BIN)/python -m poise.clips.author

clean:  ## forget everything that was built
	rm -rf $(VENV) $(OUT) site build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis

# One stamp per set of extras, renewed when the requirements change.
define install
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "Poise needs Python 3.11 or newer; $(PYTHON) is $$($(PYTHON) -V 2>&1). Try: make PYTHON=python3.12 $@"; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV) || \
	  { echo "Could not make a virtual environment; on Debian: apt install python3-venv"; exit 1; }
	@echo "Installing into $(VENV) (a minute or two, once) …"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[$(1)]'
	@touch $@
endef

$(VENV)/.run: pyproject.toml constraints.txt
	$(call install,all)
$(VENV)/.test: pyproject.toml constraints.txt
	$(call install,test)
$(VENV)/.bench: pyproject.toml constraints.txt
	$(call install,bench)
$(VENV)/.docs: pyproject.toml constraints.txt
	$(call install,docs)
