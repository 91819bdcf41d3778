# Build: nothing but the base image and npm.
FROM node:26-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm install --no-save --loglevel=error
COPY tsconfig.json tsconfig.build.json ./
COPY src src
RUN npm run build && npm prune --omit=dev --loglevel=error

# What both images share: compiled JavaScript, no compiler, no sources, no root.
FROM node:26-bookworm-slim AS runtime
ENV NODE_ENV=production PICKET_DATA_DIR=/data
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist dist
RUN mkdir /data && chown node:node /data
USER node
VOLUME /data
STOPSIGNAL SIGTERM

# The service. Needs PICKET_DATABASE_URL and PICKET_SECRET_KEY for PostgreSQL; without them SQLite and secret.key in /data.
FROM runtime AS server
ENV PICKET_HOST=0.0.0.0 PICKET_PORT=3000
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PICKET_PORT}/health`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "dist/cli/main.js"]
CMD ["server"]

# The agent. Needs API_URL and API_KEY. Works with a read-only root file system: only /data, its outbox, is written.
FROM runtime AS agent
ENV AGENT_HEALTH_PORT=8081
EXPOSE 8081
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.AGENT_HEALTH_PORT}/-/liveness`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "dist/cli/main.js"]
CMD ["agent"]

# The agent that runs nothing but URL, DNS, TCP, ICMP and heartbeat checks: `docker build --target uptime`.
FROM agent AS uptime
ENV PICKET_FLAVOUR=uptime
