// Made by npm run generate:sdk from the operations of the HTTP API. Do not edit.
import type { ApiClientOptions } from '../core/request.ts'
import { AnnotationQueuesClient } from './clients/annotation-queues.ts'
import { BlobStorageIntegrationsClient } from './clients/blob-storage-integrations.ts'
import { CommentsClient } from './clients/comments.ts'
import { DashboardWidgetsClient } from './clients/unstable-dashboard-widgets.ts'
import { DashboardsClient } from './clients/unstable-dashboards.ts'
import { DatasetItemsClient } from './clients/dataset-items.ts'
import { DatasetsClient } from './clients/datasets.ts'
import { EvaluationRulesClient } from './clients/evaluation-rules.ts'
import { EvaluatorsClient } from './clients/evaluators.ts'
import { ExperimentsClient } from './clients/experiments.ts'
import { FeedbackClient } from './clients/feedback.ts'
import { HealthClient } from './clients/health.ts'
import { IngestionClient } from './clients/ingestion.ts'
import { LlmConnectionsClient } from './clients/llm-connections.ts'
import { MediaClient } from './clients/media.ts'
import { MetricsClient } from './clients/metrics.ts'
import { ModelsClient } from './clients/models.ts'
import { ObservationsClient } from './clients/observations.ts'
import { OpentelemetryClient } from './clients/opentelemetry.ts'
import { OrganizationsClient } from './clients/organizations.ts'
import { ProjectsClient } from './clients/projects.ts'
import { PromptVersionClient } from './clients/prompt-version.ts'
import { PromptsClient } from './clients/prompts.ts'
import { ScimClient } from './clients/scim.ts'
import { ScoreConfigsClient } from './clients/score-configs.ts'
import { ScoresClient } from './clients/scores.ts'
import { SkillsClient } from './clients/unstable-skills.ts'
import { TraceClient } from './clients/trace.ts'

/** Operations that may change without a major version. */
class UnstableClient {
  private readonly options: ApiClientOptions

  constructor(options: ApiClientOptions) {
    this.options = options
  }

  private dashboardWidgetsClient: DashboardWidgetsClient | undefined

  get dashboardWidgets(): DashboardWidgetsClient {
    return (this.dashboardWidgetsClient ??= new DashboardWidgetsClient(this.options))
  }

  private dashboardsClient: DashboardsClient | undefined

  get dashboards(): DashboardsClient {
    return (this.dashboardsClient ??= new DashboardsClient(this.options))
  }

  private skillsClient: SkillsClient | undefined

  get skills(): SkillsClient {
    return (this.skillsClient ??= new SkillsClient(this.options))
  }
}

/** Every operation of the HTTP API. */
export class SvcAPIClient {
  private readonly options: ApiClientOptions

  constructor(options: ApiClientOptions) {
    this.options = options
  }

  private annotationQueuesClient: AnnotationQueuesClient | undefined

  get annotationQueues(): AnnotationQueuesClient {
    return (this.annotationQueuesClient ??= new AnnotationQueuesClient(this.options))
  }

  private blobStorageIntegrationsClient: BlobStorageIntegrationsClient | undefined

  get blobStorageIntegrations(): BlobStorageIntegrationsClient {
    return (this.blobStorageIntegrationsClient ??= new BlobStorageIntegrationsClient(this.options))
  }

  private commentsClient: CommentsClient | undefined

  get comments(): CommentsClient {
    return (this.commentsClient ??= new CommentsClient(this.options))
  }

  private datasetItemsClient: DatasetItemsClient | undefined

  get datasetItems(): DatasetItemsClient {
    return (this.datasetItemsClient ??= new DatasetItemsClient(this.options))
  }

  private datasetsClient: DatasetsClient | undefined

  get datasets(): DatasetsClient {
    return (this.datasetsClient ??= new DatasetsClient(this.options))
  }

  private evaluationRulesClient: EvaluationRulesClient | undefined

  get evaluationRules(): EvaluationRulesClient {
    return (this.evaluationRulesClient ??= new EvaluationRulesClient(this.options))
  }

  private evaluatorsClient: EvaluatorsClient | undefined

  get evaluators(): EvaluatorsClient {
    return (this.evaluatorsClient ??= new EvaluatorsClient(this.options))
  }

  private experimentsClient: ExperimentsClient | undefined

  get experiments(): ExperimentsClient {
    return (this.experimentsClient ??= new ExperimentsClient(this.options))
  }

  private feedbackClient: FeedbackClient | undefined

  get feedback(): FeedbackClient {
    return (this.feedbackClient ??= new FeedbackClient(this.options))
  }

  private healthClient: HealthClient | undefined

  get health(): HealthClient {
    return (this.healthClient ??= new HealthClient(this.options))
  }

  private ingestionClient: IngestionClient | undefined

  get ingestion(): IngestionClient {
    return (this.ingestionClient ??= new IngestionClient(this.options))
  }

  private llmConnectionsClient: LlmConnectionsClient | undefined

  get llmConnections(): LlmConnectionsClient {
    return (this.llmConnectionsClient ??= new LlmConnectionsClient(this.options))
  }

  private mediaClient: MediaClient | undefined

  get media(): MediaClient {
    return (this.mediaClient ??= new MediaClient(this.options))
  }

  private metricsClient: MetricsClient | undefined

  get metrics(): MetricsClient {
    return (this.metricsClient ??= new MetricsClient(this.options))
  }

  private modelsClient: ModelsClient | undefined

  get models(): ModelsClient {
    return (this.modelsClient ??= new ModelsClient(this.options))
  }

  private observationsClient: ObservationsClient | undefined

  get observations(): ObservationsClient {
    return (this.observationsClient ??= new ObservationsClient(this.options))
  }

  private opentelemetryClient: OpentelemetryClient | undefined

  get opentelemetry(): OpentelemetryClient {
    return (this.opentelemetryClient ??= new OpentelemetryClient(this.options))
  }

  private organizationsClient: OrganizationsClient | undefined

  get organizations(): OrganizationsClient {
    return (this.organizationsClient ??= new OrganizationsClient(this.options))
  }

  private projectsClient: ProjectsClient | undefined

  get projects(): ProjectsClient {
    return (this.projectsClient ??= new ProjectsClient(this.options))
  }

  private promptVersionClient: PromptVersionClient | undefined

  get promptVersion(): PromptVersionClient {
    return (this.promptVersionClient ??= new PromptVersionClient(this.options))
  }

  private promptsClient: PromptsClient | undefined

  get prompts(): PromptsClient {
    return (this.promptsClient ??= new PromptsClient(this.options))
  }

  private scimClient: ScimClient | undefined

  get scim(): ScimClient {
    return (this.scimClient ??= new ScimClient(this.options))
  }

  private scoreConfigsClient: ScoreConfigsClient | undefined

  get scoreConfigs(): ScoreConfigsClient {
    return (this.scoreConfigsClient ??= new ScoreConfigsClient(this.options))
  }

  private scoresClient: ScoresClient | undefined

  get scores(): ScoresClient {
    return (this.scoresClient ??= new ScoresClient(this.options))
  }

  private traceClient: TraceClient | undefined

  get trace(): TraceClient {
    return (this.traceClient ??= new TraceClient(this.options))
  }

  private unstableClient: UnstableClient | undefined

  get unstable(): UnstableClient {
    return (this.unstableClient ??= new UnstableClient(this.options))
  }
}
