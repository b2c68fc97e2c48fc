# The services of this workspace. TypeScript runs as it is: only the web app is built, everything else is packages to install.
#   service    public API, gateway, propagator, merger, writer and backfill runner, by command
#   operator   the same and the operators' commands, with the embedded column store
#
# The base by digest: --build-arg NODE_IMAGE=node:24-slim@sha256:…, as `docker buildx imagetools inspect node:24-slim` prints it. None stands here because
# no registry could be asked where this was written, and one that was not looked up would be worse than a tag.
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
# By number: a kubelet that is told `runAsNonRoot` cannot look up a name.
USER 1000:1000
ENTRYPOINT ["node", "apps/svc/src/main.ts"]

# The tools of the workspace too: Vite is one of them.
FROM base AS web
RUN pnpm install --frozen-lockfile --prod=false --filter svc-workspace --filter '@svc-server/web...'
RUN node node_modules/vite/bin/vite.js build apps/web --outDir /srv/web

FROM base AS service
RUN pnpm install --frozen-lockfile --prod --filter-prod '@svc-server/otlp-gateway...' --filter-prod '@svc-server/events-writer...' \
      --filter-prod '@svc-server/staging-propagator...' --filter-prod '@svc-server/merger...' --filter-prod '@svc-server/public-api...' --filter-prod '@svc-server/backfill-runner...'
# A new volume takes over who owns the directory that it covers.
RUN mkdir -p /var/lib/svc && chown node:node /var/lib/svc
COPY --from=web /srv/web /srv/web
USER 1000:1000
# Node runs as the first process: stop signals reach it, and it drains.
CMD ["node", "services/otlp-gateway/src/main.ts"]
