// Every operation that the web app can call. This module exports only a type, so that the bundle does not contain zod.
import type * as annotationQueues from '@svc-server/api/annotation-queues/operations'
import type * as comments from '@svc-server/api/comments/operations'
import type * as dashboardWidgets from '@svc-server/api/dashboard-widgets/operations'
import type * as dashboards from '@svc-server/api/dashboards/operations'
import type * as datasetItems from '@svc-server/api/dataset-items/operations'
import type * as datasets from '@svc-server/api/datasets/operations'
import type * as experiments from '@svc-server/api/experiments/operations'
import type * as legacyReads from '@svc-server/api/legacy/reads'
import type * as llmConnections from '@svc-server/api/llm-connections/operations'
import type * as media from '@svc-server/api/media/operations'
import type * as metrics from '@svc-server/api/metrics/operations'
import type * as models from '@svc-server/api/models/operations'
import type * as observations from '@svc-server/api/observations/operations'
import type { Operation } from '@svc-server/api/operation'
import type * as organizations from '@svc-server/api/organizations/operations'
import type * as projects from '@svc-server/api/projects/operations'
import type * as prompts from '@svc-server/api/prompts/operations'
import type * as scoreConfigs from '@svc-server/api/score-configs/operations'
import type * as scores from '@svc-server/api/scores/operations'
import type * as trace from '@svc-server/api/trace/operations'
import type * as ui from '@svc-server/api/ui/operations'
import type * as webMembers from '@svc-server/api/web-members/operations'
import type * as webRows from '@svc-server/api/web-rows/operations'
import type * as webSystem from '@svc-server/api/web-system/operations'
import type * as webTraces from '@svc-server/api/web-traces/operations'
import type * as webViews from '@svc-server/api/web-views/operations'
import type * as webWhere from '@svc-server/api/web-where/operations'

type ValuesOf<Namespace> = Namespace[keyof Namespace]

/** To add a namespace, add an import above and a line to this list. */
type Named =
  | ValuesOf<typeof annotationQueues>
  | ValuesOf<typeof comments>
  | ValuesOf<typeof dashboardWidgets>
  | ValuesOf<typeof dashboards>
  | ValuesOf<typeof datasetItems>
  | ValuesOf<typeof datasets>
  | ValuesOf<typeof experiments>
  | ValuesOf<typeof legacyReads>
  | ValuesOf<typeof llmConnections>
  | ValuesOf<typeof media>
  | ValuesOf<typeof metrics>
  | ValuesOf<typeof models>
  | ValuesOf<typeof observations>
  | ValuesOf<typeof organizations>
  | ValuesOf<typeof projects>
  | ValuesOf<typeof prompts>
  | ValuesOf<typeof scoreConfigs>
  | ValuesOf<typeof scores>
  | ValuesOf<typeof trace>
  | ValuesOf<typeof ui>
  | ValuesOf<typeof webMembers>
  | ValuesOf<typeof webRows>
  | ValuesOf<typeof webSystem>
  | ValuesOf<typeof webTraces>
  | ValuesOf<typeof webViews>
  | ValuesOf<typeof webWhere>

type AnyOperation = Extract<Named, { readonly id: string; readonly responses: Operation['responses'] }>

export type OperationId = AnyOperation['id']
export type OperationOf<Id extends OperationId> = Extract<AnyOperation, { readonly id: Id }>
