// The client, with managers for common tasks and the whole API.
import { getEnv, getGlobalLogger, resolveBaseUrl, resolveTimeoutSeconds, SVC_SDK_NAME, SVC_SDK_VERSION, SvcAPIClient } from '@svc/core'
import { DatasetManager } from './datasets/datasets.ts'
import { ExperimentManager } from './experiments/experiments.ts'
import { MediaManager } from './media/media.ts'
import { PromptManager } from './prompts/prompts.ts'
import { ScoreManager } from './scores/scores.ts'

export interface SvcClientParams {
  /** `SVC_PUBLIC_KEY` by default. */
  readonly publicKey?: string | undefined
  /** `SVC_SECRET_KEY` by default. */
  readonly secretKey?: string | undefined
  /** Default: the value of `SVC_BASE_URL` or `SVC_BASEURL`. */
  readonly baseUrl?: string | undefined
  /** Time limit in seconds for each request of a manager, such as `prompt` or `score`; by default, the value of `SVC_TIMEOUT`, or 5. */
  readonly timeout?: number | undefined
  /** Headers of every call. */
  readonly additionalHeaders?: Readonly<Record<string, string>> | undefined
}

function keyOf(option: string | undefined, variable: string): string | undefined {
  const key = option ?? getEnv(variable)
  if (!key) getGlobalLogger().warn(`${variable} is not set and no key was given: client operations will fail.`)
  return key
}

export class SvcClient {
  /** Every operation of the HTTP API. */
  readonly api: SvcAPIClient
  readonly prompt: PromptManager
  readonly score: ScoreManager
  readonly dataset: DatasetManager
  readonly media: MediaManager
  readonly experiment: ExperimentManager
  private readonly baseUrl: string
  private projectId: Promise<string> | undefined

  /** The constructor makes no call and does not throw. */
  constructor(params: SvcClientParams = {}) {
    const publicKey = keyOf(params.publicKey, 'SVC_PUBLIC_KEY')
    const secretKey = keyOf(params.secretKey, 'SVC_SECRET_KEY')
    this.baseUrl = resolveBaseUrl(params.baseUrl).replace(/\/+$/, '')
    this.api = new SvcAPIClient({
      environment: this.baseUrl,
      username: publicKey,
      password: secretKey,
      xSvcPublicKey: publicKey,
      xSvcSdkName: SVC_SDK_NAME,
      xSvcSdkVersion: SVC_SDK_VERSION,
      headers: params.additionalHeaders,
    })
    const calls = { apiClient: this.api, timeoutInSeconds: resolveTimeoutSeconds(params.timeout) }
    this.prompt = new PromptManager(calls)
    this.score = new ScoreManager(calls)
    this.media = new MediaManager(calls)
    const links = {
      getProjectId: () => this.getProjectId(),
      projectUrl: (projectId: string) => this.projectUrl(projectId),
      experimentUrl: (projectId: string, experimentId: string) => this.experimentUrl(projectId, experimentId),
    }
    this.experiment = new ExperimentManager({ scores: this.score, links })
    this.dataset = new DatasetManager({ ...calls, experiments: this.experiment })
  }

  /** Sends the queued scores. The span processor sends spans. */
  flush(): Promise<void> {
    return this.score.flush()
  }

  /** Sends the queued scores. */
  shutdown(): Promise<void> {
    return this.score.shutdown()
  }

  /**
   * Id of the keys' project. The first call looks up the project id. If the look-up of the id fails, the call rejects, and the next call
   * retries.
   */
  getProjectId(): Promise<string> {
    return (this.projectId ??= this.lookUpProject())
  }

  /** Returns the URL of the trace's page in the web app. */
  async getTraceUrl(traceId: string): Promise<string> {
    return `${this.projectUrl(await this.getProjectId())}/traces/${traceId}`
  }

  /** URL of the page that compares an experiment with other experiments. */
  async getExperimentUrl(experimentId: string): Promise<string> {
    return this.experimentUrl(await this.getProjectId(), experimentId)
  }

  private async lookUpProject(): Promise<string> {
    try {
      const { data } = await this.api.projects.get()
      // If the base URL is wrong, a different service can respond with an HTML page.
      if (!Array.isArray(data)) throw new Error(`The server at ${this.baseUrl} did not return projects. Check the base URL.`)
      const [project] = data
      if (project === undefined) throw new Error('The keys belong to no project. Check the public and the secret key.')
      return project.id
    } catch (error) {
      this.projectId = undefined
      throw error
    }
  }

  private projectUrl(projectId: string): string {
    return `${this.baseUrl}/project/${projectId}`
  }

  private experimentUrl(projectId: string, experimentId: string): string {
    return `${this.projectUrl(projectId)}/experiments/results?baseline=${experimentId}`
  }
}
