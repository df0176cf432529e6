# In place of the image postgres:17, with Debian's PostgreSQL.
FROM debian:bookworm-slim
RUN apt-get update && apt-get install -y --no-install-recommends postgresql && rm -rf /var/lib/apt/lists/*
COPY postgres-entrypoint /usr/local/bin/
ENV PATH=/usr/lib/postgresql/15/bin:/usr/local/bin:/usr/bin:/bin PGDATA=/var/lib/postgresql/data
RUN install --directory --owner postgres --group postgres $PGDATA
VOLUME /var/lib/postgresql/data
USER postgres
ENTRYPOINT ["postgres-entrypoint"]
