// Some types have no name in the API, but a name in published clients. This module lists these names. It also lists fields whose types in
// published clients differ from the server's schemas.

/** For each operation, the name of the request type that contains the query parameters. */
export const requestNames: Readonly<Record<string, string>> = {
  'annotationQueues.listQueues': 'GetAnnotationQueuesRequest',
  'annotationQueues.listQueueItems': 'GetAnnotationQueueItemsRequest',
  'comments.get': 'GetCommentsRequest',
  'datasetItems.list': 'GetDatasetItemsRequest',
  'datasets.list': 'GetDatasetsRequest',
  'evaluationRules.list': 'ListEvaluationRulesRequest',
  'evaluators.list': 'ListEvaluatorsRequest',
  'evaluators.listVersions': 'ListEvaluatorVersionsRequest',
  'experiments.list': 'ListExperimentsRequest',
  'experiments.listItems': 'ListExperimentItemsRequest',
  'llmConnections.list': 'GetLlmConnectionsRequest',
  'metrics.metrics': 'GetMetricsV2Request',
  'models.list': 'GetModelsRequest',
  'observations.getMany': 'GetObservationsV2Request',
  'prompts.get': 'GetPromptRequest',
  'prompts.list': 'ListPromptsMetaRequest',
  'prompts.delete': 'DeletePromptRequest',
  'scim.listUsers': 'ListUsersRequest',
  'scoreConfigs.get': 'GetScoreConfigsRequest',
  'scores.getMany': 'GetScoresV3Request',
  'unstable.dashboards.list': 'ListDashboardsRequest',
  'unstable.dashboardWidgets.list': 'ListDashboardWidgetsRequest',
  'unstable.skills.list': 'ListSkillsRequest',
  'unstable.skills.get': 'GetSkillRequest',
  'unstable.skills.getFileContents': 'GetSkillFileContentsRequest',
}

/** Operations whose request body is a list, with the type of the list's elements. */
export const listBodies: Readonly<Record<string, string>> = { 'scores.create': 'CreateScoreRequest' }

export const responseNames: Readonly<Record<string, string>> = { 'scores.create': 'CreateScoresResponse' }

interface Variants {
  /** Name of the type from which all variants of the union are derived. */
  readonly base?: string
  /**
   * If `keepsTag` is true, each variant declares the discriminator. If `keepsTag` is absent, the union adds the discriminator to the
   * variants.
   */
  readonly keepsTag?: true
  /** Names of the variants, by the value of the discriminator. */
  readonly of: Readonly<Record<string, string>>
}

/** For each union, the names of its variants. */
export const variantNames: Readonly<Record<string, Variants>> = {
  Prompt: { base: 'BasePrompt', of: { chat: 'ChatPrompt', text: 'TextPrompt' } },
  ScoreV3: {
    base: 'BaseScoreV3',
    of: {
      NUMERIC: 'NumericScoreV3',
      BOOLEAN: 'BooleanScoreV3',
      CATEGORICAL: 'CategoricalScoreV3',
      TEXT: 'TextScoreV3',
      CORRECTION: 'CorrectionScoreV3',
    },
  },
  ScoreSubjectV3: {
    of: {
      trace: 'ScoreSubjectTraceV3',
      observation: 'ScoreSubjectObservationV3',
      session: 'ScoreSubjectSessionV3',
      experiment: 'ScoreSubjectExperimentV3',
    },
  },
  IngestionEvent: { of: { 'score-create': 'ScoreEvent' } },
  EvaluationRuleFilter: {
    of: {
      datetime: 'DateTimeEvaluationRuleFilter',
      string: 'StringEvaluationRuleFilter',
      number: 'NumberEvaluationRuleFilter',
      stringOptions: 'StringOptionsEvaluationRuleFilter',
      categoryOptions: 'CategoryOptionsEvaluationRuleFilter',
      arrayOptions: 'ArrayOptionsEvaluationRuleFilter',
      stringObject: 'StringObjectEvaluationRuleFilter',
      numberObject: 'NumberObjectEvaluationRuleFilter',
      boolean: 'BooleanEvaluationRuleFilter',
      null: 'NullEvaluationRuleFilter',
    },
  },
  EvaluatorOutputDefinition: {
    base: 'EvaluatorOutputDefinitionBase',
    keepsTag: true,
    of: {
      NUMERIC: 'PublicEvaluatorNumericScore',
      BOOLEAN: 'PublicEvaluatorBooleanScore',
      CATEGORICAL: 'PublicEvaluatorCategoricalScore',
    },
  },
  CreateEvaluatorRequest: {
    keepsTag: true,
    of: { llm_as_judge: 'CreateLlmAsJudgeEvaluatorRequest', code: 'CreateCodeEvaluatorRequest' },
  },
  Evaluator: { base: 'EvaluatorBase', keepsTag: true, of: { llm_as_judge: 'LlmAsJudgeEvaluator', code: 'CodeEvaluator' } },
  EvaluatorVersion: {
    base: 'EvaluatorVersionBase',
    keepsTag: true,
    of: { llm_as_judge: 'LlmAsJudgeEvaluatorVersion', code: 'CodeEvaluatorVersion' },
  },
  DashboardPlacement: { of: { widget: 'WidgetPlacement', preset: 'PresetPlacement' } },
  CreateDashboardPlacementRequest: { of: { widget: 'CreateWidgetPlacement', preset: 'CreatePresetPlacement' } },
}

/** Types that published clients know under two names. */
export const aliases: Readonly<Record<string, string>> = { PublicEvaluatorOutputDefinition: 'EvaluatorOutputDefinition' }

/** Maps a value of an enumeration to the name of the value's constant. Contains only values from which this name cannot be derived. */
export const constantNames: Readonly<Record<string, string>> = {
  '=': 'Equals',
  '<>': 'NotEquals',
  '>': 'GreaterThan',
  '<': 'LessThan',
  '>=': 'GreaterThanOrEqual',
  '<=': 'LessThanOrEqual',
  openai: 'OpenAi',
  'application/vnd.ms-excel': 'ApplicationMsExcel',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'ApplicationOpenxmlSpreadsheet',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'ApplicationOpenxmlWord',
  'application/vnd.openxmlformats-officedocument.presentationml.presentation': 'ApplicationOpenxmlPresentation',
  'application/vnd.apache.parquet': 'ApplicationParquet',
  'application/x-7z-compressed': 'ApplicationX7ZCompressed',
}

/** An `optional` field can be absent, a `nullable` field can be absent or null, and a `present` field is always present. */
export type Presence = 'optional' | 'nullable' | 'present'

/**
 * Fields whose published types differ from the schemas. The server accepts null for every optional field of a request, but a published type
 * allows null only where it is documented. Some response fields can be null in the schemas, but not in the published types.
 */
export const presences: Readonly<Record<string, Presence>> = {
  'AnnotationQueueItem.completedAt': 'optional',
  'ApiKeyResponse.note': 'optional',
  'ApiKeySummary.expiresAt': 'optional',
  'ApiKeySummary.lastUsedAt': 'optional',
  'ApiKeySummary.note': 'optional',
  'BasePrompt.commitMessage': 'optional',
  'BasePrompt.createdAt': 'optional',
  'BasePrompt.createdBy': 'optional',
  'BasePrompt.id': 'optional',
  'BasePrompt.isActive': 'optional',
  'BasePrompt.projectId': 'optional',
  'BasePrompt.resolutionGraph': 'optional',
  'BasePrompt.updatedAt': 'optional',
  'CreateAnnotationQueueRequest.description': 'nullable',
  'CreateCodeEvaluatorRequest.description': 'nullable',
  'CreateLlmAsJudgeEvaluatorRequest.description': 'nullable',
  'CreateLlmAsJudgeEvaluatorRequest.modelConfig': 'nullable',
  'CreateLlmAsJudgeEvaluatorRequest.variableMapping': 'nullable',
  'CreateModelRequest.inputPrice': 'nullable',
  'CreateModelRequest.outputPrice': 'nullable',
  'CreateModelRequest.pricingTiers': 'nullable',
  'CreateModelRequest.startDate': 'nullable',
  'CreateModelRequest.tokenizerId': 'nullable',
  'CreateModelRequest.totalPrice': 'nullable',
  'CreateModelRequest.unit': 'present',
  'CreateUserRequest.name': 'present',
  'CursorMeta.cursor': 'optional',
  'Dataset.expectedOutputSchema': 'present',
  'Dataset.inputSchema': 'present',
  'EvaluationRuleAssignment.variableMappingOverride': 'optional',
  'EvaluationRuleEvaluatorAssignmentInput.variableMapping': 'nullable',
  'ExperimentsResponseMeta.cursor': 'optional',
  'GetMediaUploadUrlResponse.uploadUrl': 'optional',
  'GetScoresV3Meta.cursor': 'optional',
  'LlmConnection.baseURL': 'optional',
  'LlmConnection.config': 'optional',
  'MembershipResponse.email': 'present',
  'MembershipResponse.name': 'present',
  'ObservationsV2Meta.cursor': 'optional',
  'OrganizationApiKey.expiresAt': 'optional',
  'OrganizationApiKey.lastUsedAt': 'optional',
  'OrganizationApiKey.note': 'optional',
  'OrganizationProject.metadata': 'optional',
  'ScoreConfig.categories': 'optional',
  'UpdateCodeEvaluatorRequest.description': 'nullable',
  'UpdateEvaluatorMetadataRequest.description': 'nullable',
  'UpdateLlmAsJudgeEvaluatorRequest.description': 'nullable',
  'UpdateLlmAsJudgeEvaluatorRequest.modelConfig': 'nullable',
  'UpdateLlmAsJudgeEvaluatorRequest.variableMapping': 'nullable',
}
