# `docker build -t wordquarry .`, then `docker run wordquarry` for the demo, `docker run wordquarry make test` for the
# tests. Also the image of the development container.
FROM python:3.11
RUN apt-get -qq update \
    && DEBIAN_FRONTEND=noninteractive apt-get -qq install --no-install-recommends chromium \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /wordquarry
COPY . .
CMD ["make", "demo"]
