"""A kernel's speed as a check that stands in a user's CI: what is a finding, stored baselines, JUnit XML."""
