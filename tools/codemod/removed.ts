// Lists the parts that SDK v6 has removed or renamed (docs/sdk/migrating-from-v5.md).

/** Methods of the client that were renamed but not changed otherwise. */
export const renamedOfClient: Readonly<Record<string, string>> = {
  getPrompt: 'prompt.get',
  createPrompt: 'prompt.create',
  updatePrompt: 'prompt.update',
  getDataset: 'dataset.get',
  createDatasetItem: 'dataset.createItem',
  resolveMediaReferences: 'media.resolveReferences',
  createDataset: 'api.datasets.create',
  getDatasetItem: 'api.datasetItems.get',
  fetchMedia: 'api.media.get',
}

const readObservations = (how: string) => `call api.observations.getMany ${how}; it returns observations in pages with cursors`
const experiments = 'call api.experiments.list and api.experiments.listItems'

/** Removed methods of the client. Their replacements have other arguments or other results. */
export const removedOfClient: Readonly<Record<string, string>> = {
  fetchTrace: readObservations('with traceId'),
  fetchTraces: readObservations('with a filter on isRootObservation, because the root observation represents the trace'),
  fetchObservation: readObservations('with a filter on id'),
  fetchObservations: readObservations('with the parameters of v2'),
  fetchSessions: readObservations('with sessionId'),
  getDatasetRun: experiments,
  getDatasetRuns: `${experiments}, with datasetId and fromStartTime`,
}

/** Renamed methods below `api`, with their new names. Only the names of these methods have changed. */
export const renamedOfApi: Readonly<Record<string, string>> = {
  'legacy.scoreV1.delete': 'scores.delete',
  'scoresV3.getManyV3': 'scores.getMany',
}

/** Removed methods below `api`. An entry covers the method with the path `beginning`, and all methods below this path. */
export const removedOfApi: readonly (readonly [beginning: string, advice: string])[] = [
  ['trace.get', readObservations('with traceId')],
  ['trace.list', readObservations('with a filter on isRootObservation, because the root observation represents the trace')],
  ['sessions', readObservations('with sessionId')],
  ['legacy.observationsV1', readObservations('with the parameters of v2')],
  ['legacy.metricsV1.metrics', 'call api.metrics.metrics; queries name the views and measures of v2'],
  ['legacy.scoreV1.create', 'call api.scores.create with a list; its response has no id'],
  ['legacy', 'all operations below api.legacy were removed'],
  ['scores.getById', 'call api.scores.getMany with id'],
  ['datasetRunItems.create', 'record the run with dataset.runExperiment'],
  ['datasetRunItems', 'call api.experiments.listItems'],
  ['datasets.getRun', experiments],
  ['datasets.getRuns', `${experiments}, with datasetId and fromStartTime`],
  ['datasets.deleteRun', 'list the items of the experiment, and pass their trace ids to api.trace.deleteMultiple, 1,000 at a time'],
]

export const removedExports: Readonly<Record<string, string>> = {
  setActiveTraceIO: 'the input and output of a trace are those of its root observation: call updateActiveObservation there',
  createTraceAttributes: 'propagateAttributes carries what belongs to a trace',
  SvcTraceAttributes: 'propagateAttributes carries what belongs to a trace',
  LinkDatasetItemFunction: 'dataset.items is a plain list; call dataset.runExperiment',
  SdkLogEvent: 'nothing replaces it',
}

/**
 * Methods that SDK v6 no longer has. The codemod does not know the type of the object on which such a method is called. The
 * codemod therefore recognizes the call by the method's name, and by arguments that match `takes`.
 */
export const removedMethods: readonly { readonly name: string; readonly takes: RegExp; readonly advice: string }[] = [
  {
    name: 'setTraceIO',
    takes: /./,
    advice: 'the input and output of a trace are those of its root observation: call update({ input, output }) on that observation',
  },
  { name: 'link', takes: /\botelSpan\b|\.otelSpan\b/, advice: 'dataset items are plain objects: run the task with dataset.runExperiment' },
]

/** The legacy namespaces were removed, but these types still exist. The names of the types no longer have the prefix of the namespace. */
export const unprefixed = ['CreateScoreRequest', 'CreateScoreResponse', 'CreateScoreSource']
