// Client of the API, with prompts, scores, datasets, media and experiments.
export { SvcMedia, type SvcMediaParams, SvcMediaReference, type SvcMediaReferenceParams } from '@svc/core'
export { SvcClient, type SvcClientParams } from './client.ts'
export { DatasetManager, type FetchedDataset, type RunExperimentOnDataset } from './datasets/datasets.ts'
export { createEvaluatorFromAutoevals } from './experiments/autoevals.ts'
export { ExperimentManager } from './experiments/experiments.ts'
export {
  RegressionError,
  type RegressionErrorMessageOptions,
  type RegressionErrorMetricOptions,
  type RegressionErrorOptions,
} from './experiments/regression-error.ts'
export { RunnerContext, type RunnerContextExperimentParams, type RunnerContextOptions } from './experiments/runner-context.ts'
export type {
  Evaluation,
  Evaluator,
  EvaluatorParams,
  ExperimentItem,
  ExperimentItemResult,
  ExperimentParams,
  ExperimentResult,
  ExperimentTask,
  ExperimentTaskParams,
  RunEvaluator,
  RunEvaluatorParams,
} from './experiments/types.ts'
export { MediaManager, type SvcMediaResolveMediaReferencesParams } from './media/media.ts'
export { ChatPromptClient } from './prompts/chat-prompt.ts'
export { PromptManager } from './prompts/prompts.ts'
export { TextPromptClient } from './prompts/text-prompt.ts'
export {
  type ChatMessageOrPlaceholder,
  ChatMessageType,
  type CreateChatPromptBodyWithPlaceholders,
  type LangchainMessagesPlaceholder,
} from './prompts/types.ts'
export { ScoreManager } from './scores/scores.ts'
