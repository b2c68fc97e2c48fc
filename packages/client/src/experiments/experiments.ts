// `client.experiment`: runs a task on items, records each item's run as spans, and evaluates the outputs.
import { getGlobalLogger } from '@svc/core'
import type { ScoreManager } from '../scores/scores.ts'
import { evaluate } from './evaluate.ts'
import { formatExperiment } from './format.ts'
import { datasetOf, type ExperimentIds, experimentIds, isTraced } from './ids.ts'
import { inParallel } from './in-parallel.ts'
import { runItem } from './run-item.ts'
import type { Anything, ExperimentItem, ExperimentItemResult, ExperimentParams, ExperimentResult } from './types.ts'

/** URLs of pages in the web application. */
export interface ExperimentLinks {
  readonly getProjectId: () => Promise<string>
  /** `{baseUrl}/project/{projectId}`. */
  readonly projectUrl: (projectId: string) => string
  readonly experimentUrl: (projectId: string, experimentId: string) => string
}

export interface ExperimentManagerParams {
  readonly scores: ScoreManager
  readonly links: ExperimentLinks
}

const defaultMaxConcurrency = 50

interface Run {
  readonly params: ExperimentParams
  readonly runName: string
  readonly ids: ExperimentIds
  /** True after an item's span was recorded. */
  isRecorded: boolean
}

type AnyMetadata = Record<string, Anything>

export class ExperimentManager {
  private readonly scores: ScoreManager
  private readonly links: ExperimentLinks

  constructor({ scores, links }: ExperimentManagerParams) {
    this.scores = scores
    this.links = links
  }

  /**
   * Runs the task for each item and evaluates its output. At the end, evaluates the whole run. If an item's task fails, the failure is
   * logged, and the item is left out. When the promise resolves, the scores have been sent, but spans can still wait in the span processor.
   */
  async run<Input = Anything, ExpectedOutput = Anything, Metadata extends AnyMetadata = AnyMetadata>(
    params: ExperimentParams<Input, ExpectedOutput, Metadata>,
  ): Promise<ExperimentResult<Input, ExpectedOutput, Metadata>> {
    return (await this.runAny(params as unknown as ExperimentParams)) as unknown as ExperimentResult<Input, ExpectedOutput, Metadata>
  }

  private async runAny(params: ExperimentParams): Promise<ExperimentResult> {
    const { data, name, runName = `${name} - ${new Date().toISOString()}`, maxConcurrency = defaultMaxConcurrency } = params
    const traced = isTraced()
    if (!traced) {
      getGlobalLogger().warn(
        'No tracer provider is registered: the experiment runs, but is not recorded. Register the span processor first.',
      )
    }
    const ids = await experimentIds({ runName, data, isTraced: traced, getProjectId: this.links.getProjectId })
    const run = { params, runName, ids, isRecorded: false }
    const ran = await inParallel(data, maxConcurrency, item => this.runOne(item, run))
    const itemResults = ran.filter(each => each !== undefined)
    const runEvaluations = await evaluate(params.runEvaluators ?? [], { itemResults })
    if (run.isRecorded) {
      for (const evaluation of runEvaluations) this.scores.create({ datasetRunId: ids.id, ...evaluation })
    } else if (runEvaluations.length > 0) {
      getGlobalLogger().debug('No span of the experiment is recorded: evaluations of the run are not sent.')
    }
    await this.scores.flush()

    const projectId = await ids.projectId
    const experimentUrl = projectId === undefined ? undefined : this.links.experimentUrl(projectId, ids.id)
    const projectUrl = projectId === undefined ? undefined : this.links.projectUrl(projectId)
    return {
      experimentId: ids.id,
      experimentUrl,
      runName,
      itemResults,
      runEvaluations,
      datasetRunId: ids.isDatasetRun ? ids.id : undefined,
      datasetRunUrl: ids.isDatasetRun ? experimentUrl : undefined,
      format: async options =>
        formatExperiment(
          { name, runName, description: params.description, itemResults, runEvaluations, experimentUrl, projectUrl },
          options,
        ),
    }
  }

  private async runOne(item: ExperimentItem, run: Run): Promise<ExperimentItemResult | undefined> {
    const { params, runName, ids } = run
    try {
      return await runItem(item, {
        params,
        runName,
        experimentId: experimentOf(item, ids),
        score: (evaluation, of) => this.scores.create({ ...of, ...evaluation }),
        onRecorded: () => {
          run.isRecorded = true
        },
      })
    } catch (error) {
      getGlobalLogger().error('An item of the experiment failed and is left out of the results.', error)
      return undefined
    }
  }
}

function experimentOf(item: ExperimentItem, { id, byDataset }: ExperimentIds): string {
  return byDataset.get(datasetOf(item)?.datasetId ?? '') ?? id
}
