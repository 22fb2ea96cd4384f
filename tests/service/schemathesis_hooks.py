"""Sends each request from an address of its own, since wrong tokens are limited by address, and writes down
what was answered."""

import itertools
import os

import schemathesis

NUMBERS = itertools.count()
ANSWERS = open(os.environ["ANSWERS"], "a", buffering=1)


@schemathesis.hook
def before_call(context, case, kwargs):
    number = next(NUMBERS)
    address = f"10.{number >> 16 & 255}.{number >> 8 & 255}.{number & 255}"
    case.headers["X-Forwarded-For"] = address


@schemathesis.hook
def after_call(context, case, response):
    print(case.operation.label, response.status_code, file=ANSWERS)
