// Types for experiments: parameters and results.
import type { DatasetItem, ScoreBody } from '@svc/core'
import type { Anything } from '../anything.ts'

export type { Anything } from '../anything.ts'

type AnyMetadata = Record<string, Anything>

interface ItemFields<Input, ExpectedOutput, Metadata> {
  input?: Input | undefined
  expectedOutput?: ExpectedOutput | undefined
  metadata?: Metadata | undefined
}

/** A dataset item, or the application's own item. */
export type ExperimentItem<Input = Anything, ExpectedOutput = Anything, Metadata extends AnyMetadata = AnyMetadata> =
  | ItemFields<Input, ExpectedOutput, Metadata>
  // Metadata of a dataset item can be any JSON.
  | (ItemFields<Input, ExpectedOutput, Anything> & Omit<DatasetItem, 'input' | 'expectedOutput' | 'metadata'>)

/** The item that the task processes. */
export type ExperimentTaskParams<Input = Anything, ExpectedOutput = Anything, Metadata extends AnyMetadata = AnyMetadata> = ExperimentItem<
  Input,
  ExpectedOutput,
  Metadata
>

/** Computes the output for an item. */
export type ExperimentTask<Input = Anything, ExpectedOutput = Anything, Metadata extends AnyMetadata = AnyMetadata> = (
  params: ExperimentTaskParams<Input, ExpectedOutput, Metadata>,
) => Promise<Anything>

/** A score that an evaluator gives. */
export interface Evaluation extends Pick<ScoreBody, 'name' | 'value' | 'comment' | 'dataType' | 'configId'> {
  metadata?: Record<string, unknown> | undefined
}

export interface EvaluatorParams<Input = Anything, ExpectedOutput = Anything, Metadata extends AnyMetadata = AnyMetadata> {
  input: Input
  output: Anything
  expectedOutput?: ExpectedOutput | undefined
  metadata?: Metadata | undefined
}

type Evaluations = Evaluation | Evaluation[]

/** Evaluates an item's output. */
export type Evaluator<Input = Anything, ExpectedOutput = Anything, Metadata extends AnyMetadata = AnyMetadata> = (
  params: EvaluatorParams<Input, ExpectedOutput, Metadata>,
) => Evaluations | Promise<Evaluations>

export interface RunEvaluatorParams<Input = Anything, ExpectedOutput = Anything, Metadata extends AnyMetadata = AnyMetadata> {
  itemResults: ExperimentItemResult<Input, ExpectedOutput, Metadata>[]
}

/** Evaluates all outputs of a run. */
export type RunEvaluator<Input = Anything, ExpectedOutput = Anything, Metadata extends AnyMetadata = AnyMetadata> = (
  params: RunEvaluatorParams<Input, ExpectedOutput, Metadata>,
) => Evaluations | Promise<Evaluations>

export interface ExperimentParams<Input = Anything, ExpectedOutput = Anything, Metadata extends AnyMetadata = AnyMetadata> {
  name: string
  /**
   * Name of this run; by default, the experiment's name with the time. If several runs of a dataset have the same run name, they belong to
   * the same experiment.
   */
  runName?: string | undefined
  description?: string | undefined
  metadata?: Record<string, unknown> | undefined
  data: readonly ExperimentItem<Input, ExpectedOutput, Metadata>[]
  task: ExperimentTask<Input, ExpectedOutput, Metadata>
  evaluators?: readonly Evaluator<Input, ExpectedOutput, Metadata>[] | undefined
  runEvaluators?: readonly RunEvaluator<Input, ExpectedOutput, Metadata>[] | undefined
  /** Maximum number of concurrently processed items (default 50). */
  maxConcurrency?: number | undefined
  /** Version (ISO 8601 time) of the dataset that was read. The spans of dataset items record this version. */
  datasetVersion?: string | undefined
}

export interface ExperimentItemResult<Input = Anything, ExpectedOutput = Anything, Metadata extends AnyMetadata = AnyMetadata> {
  item: ExperimentItem<Input, ExpectedOutput, Metadata>
  input?: Input | undefined
  expectedOutput?: ExpectedOutput | undefined
  output: Anything
  evaluations: Evaluation[]
  traceId?: string | undefined
  /** Id of the item's dataset run. The experiment has the same id. Undefined if the item does not belong to a dataset. */
  datasetRunId?: string | undefined
}

export interface ExperimentResult<Input = Anything, ExpectedOutput = Anything, Metadata extends AnyMetadata = AnyMetadata> {
  experimentId: string
  /** URL of the page that compares this experiment with others. */
  experimentUrl?: string | undefined
  runName: string
  itemResults: ExperimentItemResult<Input, ExpectedOutput, Metadata>[]
  runEvaluations: Evaluation[]
  datasetRunId?: string | undefined
  /** @deprecated The same as `experimentUrl`. */
  datasetRunUrl?: string | undefined
  /** Returns the result as readable text. */
  format: (options?: { readonly includeItemResults?: boolean | undefined }) => Promise<string>
}
