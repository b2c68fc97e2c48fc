// Lists, for each propagated value, the span attribute and the name in the baggage. Other SDKs read the same names.

/** Text values that are propagated unchanged. */
export type TextName = 'userId' | 'sessionId' | 'version' | 'traceName'
export const textNames: readonly TextName[] = ['userId', 'sessionId', 'version', 'traceName']

export type ExperimentName =
  | 'experimentId'
  | 'experimentName'
  | 'experimentMetadata'
  | 'experimentDatasetId'
  | 'experimentItemId'
  | 'experimentItemMetadata'
  | 'experimentItemRootObservationId'
export const experimentNames: readonly ExperimentName[] = [
  'experimentId',
  'experimentName',
  'experimentMetadata',
  'experimentDatasetId',
  'experimentItemId',
  'experimentItemMetadata',
  'experimentItemRootObservationId',
]

export type ScalarName = TextName | ExperimentName | 'environment' | 'promptName' | 'promptVersion'

// The keys are written out here. If this table referred to another table, bundlers would keep the other table even if the application
// propagates nothing.
export const spanKeys: Readonly<Record<ScalarName, string>> = {
  userId: 'user.id',
  sessionId: 'session.id',
  version: 'svc.version',
  traceName: 'svc.trace.name',
  environment: 'svc.environment',
  promptName: 'svc.observation.prompt.name',
  promptVersion: 'svc.observation.prompt.version',
  experimentId: 'svc.experiment.id',
  experimentName: 'svc.experiment.name',
  experimentMetadata: 'svc.experiment.metadata',
  experimentDatasetId: 'svc.experiment.dataset.id',
  experimentItemId: 'svc.experiment.item.id',
  experimentItemMetadata: 'svc.experiment.item.metadata',
  experimentItemRootObservationId: 'svc.experiment.item.root_observation_id',
}

export const baggagePrefix = 'svc_'
export const baggageTags = 'svc_tags'
export const baggageMetadataPrefix = 'svc_metadata_'

/** Baggage names are in snake case with a prefix, so `userId` becomes `svc_user_id`. */
export const baggageKeys: Readonly<Record<ScalarName, string>> = {
  userId: 'svc_user_id',
  sessionId: 'svc_session_id',
  version: 'svc_version',
  traceName: 'svc_trace_name',
  environment: 'svc_environment',
  promptName: 'svc_prompt_name',
  promptVersion: 'svc_prompt_version',
  experimentId: 'svc_experiment_id',
  experimentName: 'svc_experiment_name',
  experimentMetadata: 'svc_experiment_metadata',
  experimentDatasetId: 'svc_experiment_dataset_id',
  experimentItemId: 'svc_experiment_item_id',
  experimentItemMetadata: 'svc_experiment_item_metadata',
  experimentItemRootObservationId: 'svc_experiment_item_root_observation_id',
}

const environmentPattern = /^(?!svc)[a-z0-9_-]{1,40}$/

/** True for an environment that the server accepts. */
export const isEnvironment = (value: unknown): value is string => typeof value === 'string' && environmentPattern.test(value)
