// This thread explains one span and then ends, which frees its memory.
import { parentPort, workerData } from 'node:worker_threads'
import { explainRequest } from '@svc-server/observations/block/explain'
import { catalogSnapshot } from '@svc-server/pricing/snapshot'
import type { ExplainJob } from './explain-job.ts'

const { payload, facts, brandAliases, catalog, maxDecodedBytes } = workerData as ExplainJob
parentPort?.postMessage(explainRequest(payload, facts, { maxDecodedBytes, brandAliases, catalog: catalogSnapshot(catalog) }))
