import { createClientAddresses } from '@svc-server/http/listeners'
import { createAppend } from '@svc-server/log/acknowledged'
import { createModels } from '@svc-server/models'
import { createAuthenticator } from '@svc-server/relational/authentication'
import { readScoreConfigs } from '@svc-server/relational/score-configs'
import { inProject, instance } from '@svc-server/relational/tenancy'
import { createBrandNames } from '@svc-server/schema/brand'
import { createSdkUsageReporter } from '@svc-server/sdk-usage'
import { defineService } from '@svc-server/service'
import { createMetrics } from '@svc-server/service/metrics'
import { columnStore } from '@svc-server/stores/column-store'
import { encryption } from '@svc-server/stores/encryption'
import { answeringEventLog } from '@svc-server/stores/event-log'
import { firstUser } from '@svc-server/stores/first-user'
import { keys } from '@svc-server/stores/keys'
import { media } from '@svc-server/stores/media'
import { outbound } from '@svc-server/stores/outbound'
import { relational } from '@svc-server/stores/relational'
import { createIngestIds } from '@svc-server/stream/ingest-id'
import { createWaitUntilReadable } from '@svc-server/stream/readable'
import manifest from '../package.json' with { type: 'json' }
import { createPublicApi } from './app.ts'
import { createCanary } from './canary/canary.ts'
import { ensureCanaryProject } from './canary/project.ts'
import { createRecorder } from './events/recorder.ts'
import { createApiListener } from './listener.ts'
import { createLogStatus } from './log-status.ts'
import { createMediaAccess } from './media/media.ts'
import { createMediaUpkeep } from './media/upkeep.ts'
import { apiMetrics } from './metrics.ts'
import { createOidcProvider } from './oidc/provider.ts'
import { handlers } from './operations/index.ts'
import { createRecentEvents } from './recent-events.ts'
import { createIdentify } from './request/credentials.ts'
import { createDependencies } from './request/dependencies.ts'
import { createInstanceKey } from './request/instance-key.ts'
import { createReceipts } from './request/receipts.ts'
import { createCompleteUntil } from './scores/complete-until.ts'
import { createScoreConfigs } from './scores/configs.ts'
import { apiProbePort, apiProblems, apiVariables, publicPort } from './settings.ts'
import { createPayloadWorkers } from './work/payload-workers.ts'

export const publicApi = defineService({
  name: 'public-api',
  summary: 'public-api: scores and the events of older SDKs. Any number of them run beside each other.',
  version: manifest.version,
  variables: apiVariables,
  needs: { relational, keys, firstUser, encryption, outbound, columnStore, log: answeringEventLog, media },
  metrics: apiMetrics,
  probePort: apiProbePort,
  validate: apiProblems,
  front: { ports: [{ name: 'public API server', port: publicPort, newServer: front => front.newServer() }], create: createApiListener },
  create(config, { relational, keys, encryption, outbound, columnStore, log, media }, { front, clock, ...tools }) {
    const metrics = createMetrics(apiMetrics, tools.metrics)
    const { writeMode, maxInflightBytes, trustedProxies } = config
    const payloads = createPayloadWorkers(config.workers)
    metrics.workersWaiting.onScrape(() => metrics.workersWaiting.set(payloads.waiting))
    const append = createAppend({ log, ackTimeoutMs: config.logAckTimeoutMs })
    const sdkUsage = createSdkUsageReporter({
      append: (topic, records) => append(topic, records).acknowledged,
      clock,
      logger: tools.logger,
      metrics,
    })
    const authenticate = createAuthenticator(keys, {
      clock,
      verifyPublicKey: keys.verifyPublicKey,
      onEvent: outcome => metrics.authentications.inc({ outcome }),
    })
    const ingestIds = createIngestIds(keys.pairOf('ingest-id').secretKey)
    const receipts = createReceipts(append, ingestIds)
    const brand = createBrandNames(config.brandAliases)
    const mediaUpkeep = createMediaUpkeep({ relational, blobs: media.blobs, clock, logger: tools.logger })
    const deps = createDependencies({
      media: createMediaAccess(media, keys.pairOf('urls of media').secretKey, clock),
      mediaUpkeep,
      ...{
        writeMode,
        clock,
        payloads,
        metrics,
        sdkUsage,
        columnStore,
        relational,
        keys,
        encryption,
        outbound,
        models: createModels({ outbound }),
        receipts,
        ingestIds,
        brand,
        log,
      },
      windowTimes: { windowMs: config.windowMs, graceMs: config.graceMs },
      brandAliases: config.brandAliases,
      waitUntilReadable: createWaitUntilReadable({ log }),
      oidc: createOidcProvider(config),
      version: manifest.version,
      previewOptIn: config.previewOptIn,
      spanMaxAgeMonths: config.spanMaxAgeMonths,
      recorder: createRecorder({
        append: receipts.append,
        maxShareBytes: Math.floor(maxInflightBytes / 2),
        observeSeconds: seconds => metrics.appendDuration.observe(seconds),
      }),
      configsOf: createScoreConfigs({ clock, read: (projectId, ids) => readScoreConfigs(inProject(relational, projectId), ids) }),
      completeUntil: createCompleteUntil({ log, clock, logger: tools.logger }),
      logStatus: createLogStatus({ log, clock }),
      hasRecentEvents: createRecentEvents({ columnStore, writeMode, clock }),
      checkDatabase: () => relational.ping(),
      serving: () => api.serving,
    })
    const addresses = createClientAddresses(trustedProxies)
    const identify = createIdentify({
      ...{ authenticate, addresses, clock },
      all: instance(relational),
      instanceKey: createInstanceKey(config.adminApiKey, clock),
    })
    const api = createPublicApi({ ...config, ...tools, handlers, deps, identify, brand, clock })
    const { canaryUrl: url, canaryIntervalMs: intervalMs } = config
    const authorization = () => ensureCanaryProject(relational, keys)
    const { logger, onBug } = tools
    const canary =
      url === undefined ? null : createCanary({ url, intervalMs, writeMode, columnStore, authorization, clock, metrics, logger, onBug })
    tools.logger.debug({ writeMode, operations: handlers.length }, 'The public API is connected')
    return {
      async start() {
        await api.start()
        sdkUsage.start()
        front.attach(api)
        canary?.start()
        mediaUpkeep.start()
      },
      async drain() {
        await canary?.stop()
        await mediaUpkeep.stop()
        await api.drain()
        await sdkUsage.stop()
        front.close()
        await payloads.stop()
      },
    }
  },
})
