// Lists the handlers of a project's resources (contract §18): all handlers that the imported files export.
import type { Handler } from '../request/handler.ts'
import * as queueItems from './annotation-queues/items.ts'
import * as queues from './annotation-queues/queues.ts'
import * as blobStorageIntegrations from './blob-storage-integrations/integrations.ts'
import * as comments from './comments/comments.ts'
import * as dashboardWidgets from './dashboard-widgets/widgets.ts'
import * as dashboards from './dashboards/dashboards.ts'
import * as datasetItemBatches from './dataset-items/batch.ts'
import * as datasetItems from './dataset-items/dataset-items.ts'
import * as datasets from './datasets/datasets.ts'
import * as formerDatasets from './datasets/former.ts'
import * as evaluationRules from './evaluation-rules/evaluation-rules.ts'
import * as evaluators from './evaluators/evaluators.ts'
import * as feedback from './feedback/feedback.ts'
import * as llmConnections from './llm-connections/llm-connections.ts'
import * as mediaContent from './media/content.ts'
import * as media from './media/media.ts'
import * as models from './models/models.ts'
import * as formerPrompts from './prompts/former.ts'
import * as prompts from './prompts/prompts.ts'
import * as scoreConfigs from './score-configs/score-configs.ts'
import * as skills from './skills/skills.ts'

const isHandler = (value: unknown): value is Handler => typeof value === 'object' && value !== null && 'operation' in value

export const resources: readonly Handler[] = [
  blobStorageIntegrations,
  comments,
  datasetItemBatches,
  dashboardWidgets,
  dashboards,
  datasetItems,
  datasets,
  evaluationRules,
  evaluators,
  feedback,
  formerDatasets,
  formerPrompts,
  llmConnections,
  media,
  mediaContent,
  models,
  prompts,
  queueItems,
  queues,
  scoreConfigs,
  skills,
].flatMap(namespace => Object.values(namespace).filter(isHandler))
