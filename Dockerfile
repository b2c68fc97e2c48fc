# Images of this workspace. Node runs TypeScript unchanged: only the web app is built, everything else is installed packages.
#   service    public API, gateway, propagator, merger, writer and backfill runner; the command chooses the service
#   operator   the operators' commands, with the embedded column store
#
# To pin the base image by digest: --build-arg NODE_IMAGE=node:24-slim@sha256:…, with the digest that `docker buildx imagetools inspect node:24-slim` prints.
# The default is a tag, because no registry was reachable where this file was written, and an unverified digest would be worse than a tag.
ARG NODE_IMAGE=node:24-slim
FROM ${NODE_IMAGE} AS base
WORKDIR /srv/svc
RUN npm install --global --no-audit --no-fund pnpm@10.34.9
COPY package.json pnpm-lock.yaml pnpm-workspace.yaml tsconfig.json ./
COPY patches patches
COPY libs libs
COPY services services
COPY apps apps
ENV NODE_ENV=production \
    NODE_OPTIONS=--disable-warning=ExperimentalWarning \
    UV_THREADPOOL_SIZE=8 \
    MALLOC_ARENA_MAX=2 \
    SVC_BIND=0.0.0.0 \
    SVC_LOG_FORMAT=json

FROM base AS operator
RUN pnpm install --frozen-lockfile --prod --filter-prod '@svc-server/svc...'
# A number instead of a name, because a kubelet with `runAsNonRoot` cannot look up a name.
USER 1000:1000
ENTRYPOINT ["node", "apps/svc/src/main.ts"]

# Also installs the tools of the workspace, because Vite is one of them.
FROM base AS web
RUN pnpm install --frozen-lockfile --prod=false --filter svc-workspace --filter '@svc-server/web...'
RUN node node_modules/vite/bin/vite.js build apps/web --outDir /srv/web

FROM base AS service
RUN pnpm install --frozen-lockfile --prod --filter-prod '@svc-server/otlp-gateway...' --filter-prod '@svc-server/events-writer...' \
      --filter-prod '@svc-server/staging-propagator...' --filter-prod '@svc-server/merger...' --filter-prod '@svc-server/public-api...' --filter-prod '@svc-server/backfill-runner...'
# A new volume inherits the owner of the directory on which it is mounted.
RUN mkdir -p /var/lib/svc && chown node:node /var/lib/svc
COPY --from=web /srv/web /srv/web
USER 1000:1000
# Node is the first process, so it receives stop signals and drains.
CMD ["node", "services/otlp-gateway/src/main.ts"]
