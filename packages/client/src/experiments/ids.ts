// Chooses the experiment ids of a run. Each dataset in the run gets its own experiment id, which depends only on the project, the dataset
// and the run's name. If the items belong to no dataset, or if the project is unknown, the whole run gets one random experiment id.
import { ProxyTracerProvider } from '@opentelemetry/api'
import { createExperimentId, createStableExperimentId, getGlobalLogger } from '@svc/core'
import { getSvcTracerProvider } from '@svc/tracing'
import type { ExperimentItem } from './types.ts'

/** Undefined for the application's own item. */
export function datasetOf(item: ExperimentItem): { readonly id: string; readonly datasetId: string } | undefined {
  const { id, datasetId } = item as { readonly id?: unknown; readonly datasetId?: unknown }
  return typeof id === 'string' && typeof datasetId === 'string' ? { id, datasetId } : undefined
}

export function isTraced(): boolean {
  const provider = getSvcTracerProvider()
  if (!(provider instanceof ProxyTracerProvider)) return true
  // Without a registered provider, the global provider has a delegate that records nothing.
  return provider.getDelegate() !== new ProxyTracerProvider().getDelegate()
}

export interface ExperimentIds {
  /** Experiment id of the first dataset, or of the application's own items if no item belongs to a dataset. */
  readonly id: string
  readonly byDataset: ReadonlyMap<string, string>
  readonly isDatasetRun: boolean
  /** Undefined if the look-up fails. */
  readonly projectId: Promise<string | undefined>
}

interface Run {
  readonly runName: string
  readonly data: readonly ExperimentItem[]
  readonly isTraced: boolean
  readonly getProjectId: () => Promise<string>
}

async function lookUp(getProjectId: () => Promise<string>): Promise<string | undefined> {
  try {
    return await getProjectId()
  } catch (error) {
    getGlobalLogger().warn('The project of the experiment cannot be looked up: the experiment has a random id and no link.', error)
    return undefined
  }
}

/**
 * Returns the experiment ids of a run. The experiment id of a dataset depends on the project id. If the items belong to no dataset, their
 * experiment id is random, so the function does not wait for the project id.
 */
export async function experimentIds({ runName, data, isTraced, getProjectId }: Run): Promise<ExperimentIds> {
  const datasets = [...new Set(data.flatMap(item => datasetOf(item)?.datasetId ?? []))]
  const isDatasetRun = datasets.length > 0
  if (datasets.length > 1) {
    getGlobalLogger().warn(`The items belong to ${datasets.length} datasets: each has its own experiment, and the result shows the first.`)
  }
  const projectId = isTraced ? lookUp(getProjectId) : Promise.resolve(undefined)
  const project = isDatasetRun ? await projectId : undefined
  if (project === undefined) {
    const id = await createExperimentId()
    return { id, byDataset: new Map(datasets.map(datasetId => [datasetId, id])), isDatasetRun, projectId }
  }
  const stable = datasets.map(
    async datasetId => [datasetId, await createStableExperimentId({ projectId: project, datasetId, runName })] as const,
  )
  const byDataset = new Map(await Promise.all(stable))
  return { id: byDataset.get(datasets[0]!)!, byDataset, isDatasetRun, projectId }
}
