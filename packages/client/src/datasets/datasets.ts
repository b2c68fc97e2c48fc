// `client.dataset`: datasets with their items and media.
import { type CreateDatasetItemRequest, type Dataset, type DatasetItem, generateUUID, type SvcAPIClient, uploadMedia } from '@svc/core'
import type { ExperimentManager } from '../experiments/experiments.ts'
import type { Anything, ExperimentParams, ExperimentResult } from '../experiments/types.ts'
import { MediaCollector } from './collect-media.ts'
import { hydrate } from './hydrate.ts'

type AnyMetadata = Record<string, Anything>

/** Runs an experiment on the dataset's items. */
export type RunExperimentOnDataset = (
  params: Omit<ExperimentParams<Anything, Anything, AnyMetadata>, 'data'>,
) => Promise<ExperimentResult<Anything, Anything, AnyMetadata>>

export type FetchedDataset = Dataset & {
  items: DatasetItem[]
  /** Version of the dataset that was read: an ISO 8601 time, or undefined for the current state. */
  version: string | undefined
  runExperiment: RunExperimentOnDataset
}

export interface DatasetManagerParams {
  readonly apiClient: SvcAPIClient
  readonly experiments: ExperimentManager
  /** Time limit of each call that an upload makes; by default, the time limit of the API client. */
  readonly timeoutInSeconds?: number | undefined
}

const defaultPageSize = 50

export class DatasetManager {
  private readonly api: SvcAPIClient
  private readonly experiments: ExperimentManager
  private readonly timeoutInSeconds: number | undefined

  constructor({ apiClient, experiments, timeoutInSeconds }: DatasetManagerParams) {
    this.api = apiClient
    this.experiments = experiments
    this.timeoutInSeconds = timeoutInSeconds
  }

  /** Returns the dataset with all items. Items have their state at the time `version` (ISO 8601), or by default their current state. */
  async get(
    name: string,
    options: { readonly fetchItemsPageSize?: number | undefined; readonly version?: string | undefined } = {},
  ): Promise<FetchedDataset> {
    const { version, fetchItemsPageSize = defaultPageSize } = options
    const dataset = await this.api.datasets.get(name)
    const items: DatasetItem[] = []
    for (let page = 1, pages = 1; page <= pages; page++) {
      const { data, meta } = await this.api.datasetItems.list({ datasetName: name, limit: fetchItemsPageSize, page, version })
      for (const item of data) items.push(hydrate(item))
      pages = meta.totalPages
    }
    return {
      ...dataset,
      items,
      version,
      runExperiment: params => this.experiments.run({ datasetVersion: version, ...params, data: items }),
    }
  }

  /**
   * Creates an item. If an item with this id exists, creates a new version of it. Media in the item is uploaded first. If an upload fails,
   * no item is created.
   */
  async createItem(request: CreateDatasetItemRequest): Promise<DatasetItem> {
    const id = request.id ?? generateUUID()
    const media = new MediaCollector()
    const [input, expectedOutput, metadata] = await Promise.all(
      (['input', 'expectedOutput', 'metadata'] as const).map(field => media.withTags(request[field], field)),
    )
    if (media.found.size > 0) await this.upload(media, request.datasetName, id)
    return this.api.datasetItems.create({ ...request, id, input, expectedOutput, metadata })
  }

  private async upload({ found }: MediaCollector, datasetName: string, datasetItemId: string): Promise<void> {
    const { id: datasetId } = await this.api.datasets.get(datasetName)
    const { api: apiClient, timeoutInSeconds } = this
    await Promise.all(
      [...found.values()].map(({ media, field }) => uploadMedia({ apiClient, media, field, datasetId, datasetItemId, timeoutInSeconds })),
    )
  }
}
