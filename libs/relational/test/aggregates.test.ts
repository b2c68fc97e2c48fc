// Runs the suites of all aggregates that belong to projects. All suites share one store of each kind, because opening a store takes
// seconds. Run a single suite with `-t 'score configurations'`.
import { afterAll, beforeAll, describe } from 'vitest'
import { annotationQueues } from './aggregates/annotation-queues.ts'
import { arrivals } from './aggregates/arrivals.ts'
import { comments } from './aggregates/comments.ts'
import { dashboards } from './aggregates/dashboards.ts'
import { evaluators } from './aggregates/evaluators.ts'
import { llmConnections } from './aggregates/llm-connections.ts'
import { media } from './aggregates/media.ts'
import { models } from './aggregates/models.ts'
import { people } from './aggregates/people.ts'
import { prompts } from './aggregates/prompts.ts'
import { savedViews } from './aggregates/saved-views.ts'
import { scoreConfigs } from './aggregates/score-configs.ts'
import { traceSessions } from './aggregates/trace-sessions.ts'
import { type OpenedProjects, openProjects } from './projects.ts'
import { storeKinds } from './stores.ts'

describe.each(storeKinds)('on $kind', ({ open }) => {
  let projects: OpenedProjects
  beforeAll(async () => {
    projects = await openProjects(open)
  })
  afterAll(() => projects.store.close())

  const opened = () => projects
  for (const suite of [
    annotationQueues,
    arrivals,
    comments,
    dashboards,
    evaluators,
    llmConnections,
    media,
    models,
    people,
    prompts,
    savedViews,
    scoreConfigs,
    traceSessions,
  ])
    suite(opened)
})
