// A new operation needs a file in this folder and a line here.

import type { Handler } from '../request/handler.ts'
import { administration } from './admin/organizations.ts'
import { create as createRunItem } from './dataset-run-items/create.ts'
import { openApi } from './documents/open-api.ts'
import { docs, docsAsset } from './documents/page.ts'
import { listItems as listExperimentItems, list as listExperiments } from './experiments/lists.ts'
import { health, ready } from './health/health.ts'
import { batch } from './ingestion/batch.ts'
import { legacyMetrics } from './legacy/metrics.ts'
import { legacyReads } from './legacy/reads.ts'
import { legacyRuns } from './legacy/runs.ts'
import { legacyScores } from './legacy/scores.ts'
import { legacyWrites } from './legacy/writes.ts'
import { mcpOver } from './mcp/exchange.ts'
import { metrics } from './metrics/metrics.ts'
import { getMany as getObservations } from './observations/get-many.ts'
import { getOrganizationApiKeys, getOrganizationProjects } from './organizations/lists.ts'
import { memberships } from './organizations/memberships.ts'
import { createApiKey, deleteApiKey, getApiKeys } from './projects/keys.ts'
import { create as createProject, get as getProject, remove as removeProject, update as updateProject } from './projects/projects.ts'
import { resources } from './resources.ts'
import { descriptions as scimDescriptions } from './scim/descriptions.ts'
import { users as scimUsers } from './scim/users.ts'
import { create as createScores } from './scores/create.ts'
import { getMany as getScores } from './scores/get-many.ts'
import { remove as removeScore } from './scores/remove.ts'
import { deleteMultiple, remove as removeTrace } from './trace/remove.ts'
import { oidc } from './ui/oidc.ts'
import { session } from './ui/session.ts'
import {
  createComment as createTraceComment,
  getComments as getTraceComments,
  getScores as getTraceScores,
} from './web-annotations/annotations.ts'
import { webMembers } from './web-members/members.ts'
import { rowFacets } from './web-rows/facets.ts'
import { rowHistogram } from './web-rows/histogram.ts'
import { listRows } from './web-rows/list.ts'
import { moreOfRows } from './web-rows/more.ts'
import { tailRows } from './web-rows/tail.ts'
import { topRows } from './web-rows/top.ts'
import { systemMigration } from './web-system/migration.ts'
import { systemSdks } from './web-system/sdks.ts'
import { systemStatus } from './web-system/status.ts'
import { getObservation, getText, getTree, search as searchTrace, update as updateTrace } from './web-traces/of-project.ts'
import { getPublicObservation, getPublicText, getPublicTree, searchPublic } from './web-traces/public.ts'
import { savedViews } from './web-views/views.ts'
import { recentArrivals } from './web-where/arrivals.ts'
import { explainObservation, whereTrace } from './web-where/where.ts'

const own: readonly Handler[] = [
  ...[health, ready, openApi, docs, docsAsset],
  ...[batch, ...legacyWrites, ...legacyReads, ...legacyScores, ...legacyRuns, ...legacyMetrics],
  ...[createScores, removeScore, getScores],
  ...[getObservations, metrics, listRows, topRows, rowHistogram, rowFacets, moreOfRows, tailRows],
  ...[systemStatus, systemSdks, systemMigration],
  ...[listExperiments, listExperimentItems],
  ...[removeTrace, deleteMultiple],
  ...[getProject, createProject, updateProject, removeProject],
  ...[getApiKeys, createApiKey, deleteApiKey],
  ...[getOrganizationProjects, getOrganizationApiKeys],
  ...memberships,
  ...webMembers,
  ...administration,
  ...scimDescriptions,
  ...scimUsers,
  createRunItem,
  ...[getTree, searchTrace, getObservation, getText, updateTrace],
  ...[getPublicTree, searchPublic, getPublicObservation, getPublicText],
  ...savedViews,
  ...[whereTrace, explainObservation, recentArrivals],
  ...[getTraceScores, getTraceComments, createTraceComment],
  ...resources,
  ...session,
  ...oidc,
]

export const handlers: readonly Handler[] = [...own, mcpOver(own)]
