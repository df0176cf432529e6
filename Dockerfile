# CI runs the same two scripts on every change; only the copying below is particular to the image.
FROM swift:6.3-bookworm AS build
WORKDIR /source
COPY scripts scripts
RUN scripts/bootstrap
COPY . .
RUN scripts/build-release

FROM debian:bookworm-slim
RUN apt-get update \
  && apt-get install -y --no-install-recommends ca-certificates curl libcurl4 libicu72 libpsl5 libsqlite3-0 libssl3 libstdc++6 zlib1g \
  && rm -rf /var/lib/apt/lists/* \
  && useradd --system --uid 10001 --no-create-home --home-dir /nonexistent pcm-browser \
  && install --directory --owner pcm-browser --group pcm-browser /data /shared
COPY --from=build /source/.build/release/pcm-browser /usr/local/bin/pcm-browser
# Empty volumes that are mounted here take over the owner.
USER pcm-browser
WORKDIR /data
VOLUME /data
EXPOSE 8726
HEALTHCHECK --interval=10s --timeout=3s --start-period=5s \
  CMD ["curl", "--silent", "--fail", "--output", "/dev/null", "http://127.0.0.1:8726/healthz"]
# Behind a published port the service is called by the host's names, not by the address it listens on. It starts only
# with PCM_BROWSER_API_TOKEN set, because it listens on more than loopback.
ENTRYPOINT ["pcm-browser"]
CMD ["serve", "--host", "0.0.0.0", "--data", "/data", "--allowed-host", "localhost", "--allowed-host", "127.0.0.1"]
