# Every target makes .venv itself: a fresh clone needs nothing but Python 3.11 or newer and make.
#   make demo       the whole loop on this machine, GPU or not
#   make test       every test that needs no GPU
#   make test-gpu   the tests that need one; PYTHON=... picks a Python that has torch already
#   make pictures   those of the README; needs Chromium
#   make notebooks  notebooks/*.ipynb made of notebooks/*.py, executed
#   make lint       ruff and mypy

PYTHON ?= python3
VENV   := .venv
READY  := $(VENV)/.ready

.PHONY: demo chromium test test-gpu notebooks pictures lint
.DEFAULT_GOAL := demo

$(READY): pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(VENV)/bin/pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[dev]'
	@touch $@

demo: $(READY)
	$(VENV)/bin/inductor-lab demo

# The page's tests want a browser. Where one may be installed, it is; elsewhere they say that they were skipped.
chromium:
	@command -v chromium >/dev/null || { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null \
	  && apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium >/dev/null; } \
	  || echo "No Chromium, and it can not be installed here: tests/test_report_browser.py is skipped. apt-get install chromium"

# worksteal: a worker begins with half of the files and takes over what is left of another's, so that what a file's tests share is made once.
test: $(READY) chromium
	@$(VENV)/bin/python -m pytest -n auto --dist worksteal --durations 20

# A GPU machine usually has the right torch already; .venv is used where it was made, never made here.
GPU_PYTHON = $(if $(wildcard $(READY)),$(VENV)/bin/python,$(PYTHON))
test-gpu:
	@PYTHONPATH=$(CURDIR) $(GPU_PYTHON) -m pytest -m gpu

pictures: $(READY) chromium
	$(VENV)/bin/python docs/pictures.py

notebooks: $(READY)
	$(VENV)/bin/python notebooks/remake.py

lint: $(READY)
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/mypy
