# The image is the Debian package on Debian. CI builds the package with the same script, the second stage from it, and runs the image.
FROM swift:6.3-bookworm AS build
WORKDIR /source
COPY scripts scripts
RUN scripts/bootstrap --with packages
COPY . .
# The commit for --version, where the build has no repository.
ARG PCM_COMMIT
RUN scripts/package deb

FROM debian:bookworm-slim
RUN --mount=type=bind,from=build,source=/source/.build/packages,target=/packages \
  apt-get update \
  && apt-get install -y --no-install-recommends ca-certificates curl /packages/*.deb \
  && rm -rf /var/lib/apt/lists/* \
  && useradd --system --uid 10001 --no-create-home --home-dir /nonexistent pcm-browser \
  && install --directory --owner pcm-browser --group pcm-browser /data /shared
# Empty volumes that are mounted here take over the owner.
USER pcm-browser
WORKDIR /data
VOLUME /data
# The durable browsers are in /data/pcm-browser, unless PCM_BROWSER_STORE names a database.
ENV XDG_STATE_HOME=/data
EXPOSE 8726
HEALTHCHECK --interval=10s --timeout=3s --start-period=5s \
  CMD ["curl", "--silent", "--fail", "--output", "/dev/null", "http://127.0.0.1:8726/healthz"]
# Behind a published port the service is called by the host's names, not by the address it listens on. It starts only
# with PCM_BROWSER_API_TOKEN set, because it listens on more than loopback.
ENTRYPOINT ["pcm-browser"]
CMD ["serve", "--host", "0.0.0.0", "--allowed-host", "localhost", "--allowed-host", "127.0.0.1"]
