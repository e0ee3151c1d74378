# Every target makes .venv itself: a fresh clone needs nothing but Python 3.11 or newer and make.
#   make demo               the whole loop on this machine, GPU or not; installs what a user has, nothing else
#   make test               every room, without a GPU, in some five minutes on two cores
#   make test-slow          what `make test` leaves out: more variants, whole workloads, notebooks
#   make test-all           both
#   make test-capabilities  what the judge says with the vectors and threads of other machines
#   make test-newest-triton the judge's tests with the newest Triton that the pinned torch works with
#   make matrix             every verb and the tests that meet torch, on each release of torch from 2.11 on: an hour, 5 GB for each; docs/support.md
#   make test-gpu           the tests that need a GPU; PYTHON=... picks a Python that has torch already
#   make pictures           those of the README; needs Chromium
#   make notebooks          notebooks/*.ipynb made of notebooks/*.py, executed
#   make dlrm-pages         what is made of DLRM's results: tables of docs/dlrm.md, the README's sentences, the notebook with its plots
#   make kernel-pages       docs/kernels.md, the page and the notebook of each hand kernel, of its results
#   make lint               ruff and mypy

PYTHON ?= python3
VENV   := .venv
USER   := $(VENV)/.user
READY  := $(VENV)/.ready

.PHONY: demo chromium test test-slow test-all test-capabilities test-newest-triton matrix test-gpu notebooks dlrm-pages kernel-pages pictures lint
.DEFAULT_GOAL := demo

INSTALL = $(VENV)/bin/pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable

# --no-compile: Python compiles what it imports; of torch and Triton that is a small part.
$(USER): pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(INSTALL) . --no-compile
	@touch $@

$(READY): $(USER)
	$(INSTALL) '.[dev]'
	@touch $@

demo: $(USER)
	$(VENV)/bin/inductor-lab demo

# The page's tests want a browser. Where one may be installed, it is; elsewhere they say that they were skipped.
chromium:
	@command -v chromium >/dev/null || { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null \
	  && apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium >/dev/null; } \
	  || echo "No Chromium, and it can not be installed here: tests/report/test_report_browser.py is skipped. apt-get install chromium"

# worksteal: a worker begins with half of the files and takes over what is left of another's, so that what a file's tests share is made once.
PYTEST = $(VENV)/bin/python -m pytest -n auto --dist worksteal

# What stays in it: of each kind of case the one that is smallest or tells most. Its further variants, whole workloads and what goes
# through everything that is kept are marked `slow`; CONTRIBUTING.md.
test: $(READY)
	@$(PYTEST) --durations 20

test-slow: $(READY) chromium
	@$(PYTEST) --durations 20 -m 'slow and not gpu and not catalogue'

test-all: test test-slow

# A verdict hangs on no machine: the judge's tests as a processor without vectors and one with AVX2 run them, with one thread and with two.
JUDGED = $(addprefix tests/judge/,test_stand_ins.py test_verify.py test_limits.py test_families.py) tests/eject/test_templates.py
test-capabilities: $(READY)
	@set -e; for vectors in default avx2; do for threads in 1 2; do \
	  echo "ATEN_CPU_CAPABILITY=$$vectors OMP_NUM_THREADS=$$threads"; \
	  ATEN_CPU_CAPABILITY=$$vectors OMP_NUM_THREADS=$$threads $(PYTEST) -q $(JUDGED); \
	done; done

# The judge stands on Triton's interpreter, which changes from version to version: the newest one lies in front of the pinned one.
NEWEST_TRITON := 3.9.0
NEWEST        := $(VENV)/triton-$(NEWEST_TRITON)

$(NEWEST)/.ready: $(READY)
	$(VENV)/bin/pip install --quiet --disable-pip-version-check --no-deps --upgrade --target $(NEWEST) triton==$(NEWEST_TRITON)
	@touch $@

NEWEST_TESTS = $(JUDGED) $(addprefix tests/,judge/test_known.py judge/test_watch.py test_whole_loop.py cli/test_cli.py::test_doctor_tells_what_works)
test-newest-triton: $(NEWEST)/.ready
	@PYTHONPATH=$(CURDIR)/$(NEWEST) $(VENV)/bin/python -c 'import triton; print("Triton", triton.__version__)'
	@PYTHONPATH=$(CURDIR)/$(NEWEST) $(PYTEST) -q $(NEWEST_TESTS)

# A GPU machine usually has the right torch already; .venv is used where it was made, never made here.
GPU_PYTHON = $(if $(wildcard $(READY)),$(VENV)/bin/python,$(PYTHON))
test-gpu:
	@PYTHONPATH=$(CURDIR) $(GPU_PYTHON) -m pytest -m gpu

matrix: $(READY)
	$(VENV)/bin/python tests/versions/run.py

pictures: $(READY) chromium
	$(VENV)/bin/python docs/pictures.py

notebooks: $(READY)
	$(VENV)/bin/python notebooks/remake.py

dlrm-pages: $(READY)
	$(VENV)/bin/python tests/benchmarks/dlrm_tables.py --write docs/dlrm.md README.md tests/benchmarks/results/dlrm/talk.md
	$(VENV)/bin/python notebooks/remake.py 05_dlrm

kernel-pages: $(READY)
	$(VENV)/bin/python tests/benchmarks/hand_pages.py --write
	$(VENV)/bin/python notebooks/remake.py 06_lora 07_rotary 08_sparse_ffn

lint: $(READY)
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/mypy
