"""One process that host programs start and talk to: requests in, motions and reports out, over two pipes."""
