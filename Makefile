# Every target makes .venv itself: a fresh clone needs nothing but Python 3.11 or newer and make.
#   make demo       the whole loop on this machine, GPU or not
#   make test       every test that needs no GPU
#   make test-gpu   the tests that need one; PYTHON=... picks a Python that has torch already
#   make notebooks  notebooks/*.ipynb made of notebooks/*.py, executed
#   make lint       ruff and mypy

PYTHON ?= python3
VENV   := .venv
READY  := $(VENV)/.ready

.PHONY: demo test test-gpu notebooks lint
.DEFAULT_GOAL := demo

$(READY): pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(VENV)/bin/pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[dev]'
	@touch $@

demo: $(READY)
	$(VENV)/bin/inductor-lab demo

# worksteal: a worker begins with half of the files and takes over what is left of another's, so that what a file's tests share is made once.
test: $(READY)
	@$(VENV)/bin/python -m pytest -n auto --dist worksteal --durations 20

# A GPU machine usually has the right torch already; .venv is used where it was made, never made here.
GPU_PYTHON = $(if $(wildcard $(READY)),$(VENV)/bin/python,$(PYTHON))
test-gpu:
	@PYTHONPATH=$(CURDIR) $(GPU_PYTHON) -m pytest -m gpu

notebooks: $(READY)
	$(VENV)/bin/python notebooks/remake.py

lint: $(READY)
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/mypy
