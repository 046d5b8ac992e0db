"""How the tests are tested: small breakages of the source, each tried on the tests that are nearest to it."""
