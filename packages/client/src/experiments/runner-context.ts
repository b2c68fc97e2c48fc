// The context that a CI runner passes to an experiment's script.
import type { Anything } from '../anything.ts'
import type { ExperimentManager } from './experiments.ts'
import type { ExperimentItem, ExperimentParams, ExperimentResult } from './types.ts'

type AnyMetadata = Record<string, Anything>

export interface RunnerContextOptions<Input = Anything, ExpectedOutput = Anything, Metadata extends AnyMetadata = AnyMetadata> {
  /** A SvcClient. */
  readonly client: { readonly experiment: ExperimentManager }
  readonly data?: readonly ExperimentItem<Input, ExpectedOutput, Metadata>[] | undefined
  readonly datasetVersion?: string | undefined
  readonly metadata?: Record<string, unknown> | undefined
}

/** Parameters of an experiment that a runner starts. `data` is optional here, because the runner's context can contain the data. */
export type RunnerContextExperimentParams<Input = Anything, ExpectedOutput = Anything, Metadata extends AnyMetadata = AnyMetadata> = Omit<
  ExperimentParams<Input, ExpectedOutput, Metadata>,
  'data'
> &
  Partial<Pick<ExperimentParams<Input, ExpectedOutput, Metadata>, 'data'>>

export class RunnerContext<Input = Anything, ExpectedOutput = Anything, Metadata extends AnyMetadata = AnyMetadata> {
  readonly client: { readonly experiment: ExperimentManager }
  readonly data: readonly ExperimentItem<Input, ExpectedOutput, Metadata>[] | undefined
  readonly datasetVersion: string | undefined
  readonly metadata: Record<string, unknown> | undefined

  constructor(options: RunnerContextOptions<Input, ExpectedOutput, Metadata>) {
    this.client = options.client
    this.data = options.data
    this.datasetVersion = options.datasetVersion
    this.metadata = options.metadata
  }

  /** Runs an experiment. Parameters take precedence over the context. Metadata is merged by key. */
  async runExperiment(
    params: RunnerContextExperimentParams<Input, ExpectedOutput, Metadata>,
  ): Promise<ExperimentResult<Input, ExpectedOutput, Metadata>> {
    const data = params.data ?? this.data
    if (data === undefined) throw new Error('The experiment has no data. Give data to runExperiment or to the runner context.')
    const hasMetadata = params.metadata !== undefined || this.metadata !== undefined
    return this.client.experiment.run({
      ...params,
      data,
      datasetVersion: params.datasetVersion ?? this.datasetVersion,
      ...(hasMetadata && { metadata: { ...this.metadata, ...params.metadata } }),
    })
  }
}
