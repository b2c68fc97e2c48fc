// Every operation of the API. One line per namespace.
import * as admin from './admin/operations.ts'
import * as annotationQueues from './annotation-queues/operations.ts'
import * as blobStorageIntegrations from './blob-storage-integrations/operations.ts'
import * as comments from './comments/operations.ts'
import * as dashboardWidgets from './dashboard-widgets/operations.ts'
import * as dashboards from './dashboards/operations.ts'
import * as datasetItems from './dataset-items/operations.ts'
import * as datasetRunItems from './dataset-run-items/operations.ts'
import * as datasets from './datasets/operations.ts'
import * as documents from './documents/operations.ts'
import * as evaluationRules from './evaluation-rules/operations.ts'
import * as evaluators from './evaluators/operations.ts'
import * as experiments from './experiments/operations.ts'
import * as feedback from './feedback/operations.ts'
import * as health from './health/operations.ts'
import * as ingestion from './ingestion/operations.ts'
import * as legacyMetrics from './legacy/metrics.ts'
import * as legacyReads from './legacy/reads.ts'
import * as legacyRuns from './legacy/runs.ts'
import * as legacyWrites from './legacy/writes.ts'
import * as llmConnections from './llm-connections/operations.ts'
import * as mcp from './mcp/operations.ts'
import * as media from './media/operations.ts'
import * as metrics from './metrics/operations.ts'
import * as models from './models/operations.ts'
import * as observations from './observations/operations.ts'
import * as opentelemetry from './opentelemetry/operations.ts'
import type { Operation } from './operation.ts'
import * as organizations from './organizations/operations.ts'
import * as projects from './projects/operations.ts'
import * as prompts from './prompts/operations.ts'
import * as scim from './scim/operations.ts'
import * as scoreConfigs from './score-configs/operations.ts'
import * as scores from './scores/operations.ts'
import * as skills from './skills/operations.ts'
import * as trace from './trace/operations.ts'
import * as ui from './ui/operations.ts'
import * as webAnnotations from './web-annotations/operations.ts'
import * as webMembers from './web-members/operations.ts'
import * as webRows from './web-rows/operations.ts'
import * as webSystem from './web-system/operations.ts'
import * as webTraces from './web-traces/operations.ts'
import * as webViews from './web-views/operations.ts'
import * as webWhere from './web-where/operations.ts'

const namespaces = [
  admin,
  annotationQueues,
  blobStorageIntegrations,
  comments,
  dashboardWidgets,
  dashboards,
  datasetItems,
  datasetRunItems,
  datasets,
  documents,
  evaluationRules,
  evaluators,
  experiments,
  feedback,
  health,
  ingestion,
  llmConnections,
  mcp,
  media,
  metrics,
  models,
  observations,
  opentelemetry,
  organizations,
  projects,
  prompts,
  scim,
  scoreConfigs,
  scores,
  skills,
  trace,
  webMembers,
  webRows,
  webSystem,
  webAnnotations,
  webTraces,
  webViews,
  ui,
  webWhere,
  legacyMetrics,
  legacyReads,
  legacyRuns,
  legacyWrites,
]

/** A namespace's module can also export other values. */
const isOperation = (value: unknown): value is Operation =>
  typeof value === 'object' && value !== null && 'method' in value && 'responses' in value && 'summary' in value

export const operations: readonly Operation[] = namespaces.flatMap(namespace => Object.values(namespace).filter(isOperation))

export const operationById: ReadonlyMap<string, Operation> = new Map(operations.map(each => [each.id, each]))
