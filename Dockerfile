# Two stages: the first compiles, the second has what came of it and no compiler.

FROM python:3.12-slim-bookworm AS build
RUN apt-get update \
 && apt-get install --yes --no-install-recommends g++ \
 && rm -rf /var/lib/apt/lists/*
WORKDIR /source
COPY . .
# the wheel of the project and those of all that it needs; then an environment made of nothing but these
RUN pip wheel --no-cache-dir --wheel-dir /wheels . \
 && python -m venv --without-pip /opt/sudokumill \
 && pip --python /opt/sudokumill install --no-cache-dir --no-index --find-links /wheels sudokumill

FROM python:3.12-slim-bookworm
LABEL org.opencontainers.image.title="sudokumill" \
      org.opencontainers.image.description="A factory for Sudoku levels: workers, and the command that orders from them" \
      org.opencontainers.image.licenses="MIT"
# a number that no user of the host is likely to have; nobody can log in as it
RUN groupadd --gid 10001 sudokumill \
 && useradd --uid 10001 --gid 10001 --no-create-home --home-dir /tmp --shell /usr/sbin/nologin sudokumill
COPY --from=build /opt/sudokumill /opt/sudokumill
# the root file system may be read-only: nothing is written but to /tmp
ENV PATH=/opt/sudokumill/bin:$PATH \
    HOME=/tmp \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1
WORKDIR /tmp
USER 10001:10001
# no entry point: what is typed after the image's name is the whole command, here as anywhere else
CMD ["sudokumill", "--help"]
