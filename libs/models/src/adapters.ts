// Creates an AI SDK model for each adapter. A provider's package is loaded on first use. All settings are explicit. If a setting were
// missing, the packages would read the server's credentials and addresses from the environment.

import { parseJson } from '@svc-server/json'
import type { LanguageModel } from 'ai'
import { bedrockDefaultCredentials, type ModelAdapter, type ModelConnection, vertexDefaultCredentials } from './connection.ts'
import { CallProblem } from './problems.ts'

export interface AdapterTools {
  readonly fetch: typeof globalThis.fetch
  /** Called with each secret that an adapter derives, so that the caller can remove the secret from messages. */
  readonly onSecret: (secret: string) => void
}

type Open = (connection: ModelConnection, model: string, tools: AdapterTools) => Promise<LanguageModel>

const withoutSlash = (url: string) => url.replace(/\/+$/, '')

/** Appends the API version's path. The AI SDK expects this path, but addresses in v3's connections do not contain it. */
function versioned(url: string, version: string): string {
  const base = withoutSlash(url)
  return /\/v\d\w*$/.test(base) ? base : `${base}/${version}`
}

const textOf = (from: Readonly<Record<string, unknown>> | null, key: string) => {
  const value = from?.[key]
  return typeof value === 'string' && value !== '' ? value : undefined
}

function objectIn(secret: string): Readonly<Record<string, unknown>> | null {
  try {
    const value = parseJson(secret)
    return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : null
  } catch {
    return null
  }
}

const misconfigured = (message: string) => new CallProblem('misconfigured', message)

/** Version in the address of an Azure deployment. It is the newest version that v3 used. */
const azureVersion = '2025-02-01-preview'

async function openBedrock({ secretKey, baseURL, extraHeaders, config }: ModelConnection, model: string, { fetch }: AdapterTools) {
  const region = textOf(config, 'region')
  if (region === undefined || !/^[a-z0-9-]+$/.test(region)) throw misconfigured('The connection has no valid region.')
  const { createAmazonBedrock } = await import('@ai-sdk/amazon-bedrock')
  const common = { region, headers: extraHeaders, fetch, ...(baseURL !== null && { baseURL: withoutSlash(baseURL) }) }
  if (secretKey === bedrockDefaultCredentials) {
    const { defaultProvider } = await import('@aws-sdk/credential-provider-node')
    const credentialProvider = async () => {
      const { accessKeyId, secretAccessKey, sessionToken } = await defaultProvider()()
      return { accessKeyId, secretAccessKey, ...(sessionToken !== undefined && { sessionToken }) }
    }
    return createAmazonBedrock({ ...common, apiKey: '', credentialProvider })(model)
  }
  const secret = objectIn(secretKey)
  const [apiKey, accessKeyId, secretAccessKey] = ['apiKey', 'accessKeyId', 'secretAccessKey'].map(key => textOf(secret, key))
  if (apiKey !== undefined) return createAmazonBedrock({ ...common, apiKey })(model)
  if (accessKeyId === undefined || secretAccessKey === undefined) throw misconfigured('The secret contains no credentials for Bedrock.')
  return createAmazonBedrock({ ...common, apiKey: '', accessKeyId, secretAccessKey })(model)
}

const googleScope = 'https://www.googleapis.com/auth/cloud-platform'

/**
 * Returns a client for a service account. The client requests tokens only from Google. Other Google credentials contain addresses, files or
 * programs that the server would have to use, so they are refused.
 */
async function serviceAccount(secretKey: string, { fetch, onSecret }: AdapterTools) {
  const secret = objectIn(secretKey)
  const [email, key, project] = ['client_email', 'private_key', 'project_id'].map(name => textOf(secret, name))
  if (email === undefined || key === undefined || project === undefined)
    throw misconfigured('The secret is not a key file of a service account.')
  const { JWT } = await import('google-auth-library')
  const client = new JWT({ email, key, scopes: [googleScope], transporterOptions: { fetchImplementation: fetch } })
  const { token } = await client.getAccessToken().catch((error: Error) => {
    const { code, response } = error as { code?: unknown; response?: { status?: number } }
    const isRefused = response?.status === 400 || response?.status === 401 || String(code).startsWith('ERR_OSSL')
    throw isRefused ? new CallProblem('authentication', `Google issued no token: ${error.message}`) : error
  })
  if (typeof token === 'string') onSecret(token)
  return { project, googleAuthOptions: { authClient: client } }
}

async function defaultAccount() {
  const { GoogleAuth } = await import('google-auth-library')
  try {
    return { project: await new GoogleAuth({ scopes: [googleScope] }).getProjectId(), googleAuthOptions: {} }
  } catch {
    throw misconfigured('The server has no default credentials for Google.')
  }
}

async function openVertex(connection: ModelConnection, model: string, tools: AdapterTools) {
  const { secretKey, baseURL, extraHeaders, config } = connection
  const { project, ...auth } = secretKey === vertexDefaultCredentials ? await defaultAccount() : await serviceAccount(secretKey, tools)
  const location = textOf(config, 'location') ?? 'us-central1'
  const { createVertex } = await import('@ai-sdk/google-vertex')
  const path = `projects/${encodeURIComponent(project)}/locations/${encodeURIComponent(location)}/publishers/google`
  const base = baseURL === null ? {} : { baseURL: `${versioned(baseURL, 'v1')}/${path}` }
  return createVertex({ apiKey: '', project, location, headers: extraHeaders, fetch: tools.fetch, ...auth, ...base })(model)
}

const adapters: Readonly<Record<ModelAdapter, Open>> = {
  async openai({ secretKey, baseURL, extraHeaders, config }, model, { fetch }) {
    const { createOpenAI } = await import('@ai-sdk/openai')
    const base = withoutSlash(baseURL ?? 'https://api.openai.com/v1')
    const provider = createOpenAI({ apiKey: secretKey, baseURL: base, headers: extraHeaders, fetch })
    return config?.['useResponsesApi'] === true ? provider.responses(model) : provider.chat(model)
  },

  async anthropic({ secretKey, baseURL, extraHeaders }, model, { fetch }) {
    const { createAnthropic } = await import('@ai-sdk/anthropic')
    const base = versioned(baseURL ?? 'https://api.anthropic.com', 'v1')
    return createAnthropic({ apiKey: secretKey, baseURL: base, headers: extraHeaders, fetch })(model)
  },

  async azure({ secretKey, baseURL, extraHeaders }, model, { fetch }) {
    if (baseURL === null) throw misconfigured('A connection to Azure needs the base URL of its resource.')
    const { createAzure } = await import('@ai-sdk/azure')
    const base = withoutSlash(baseURL).replace(/\/deployments$/, '')
    const form = base.endsWith('/openai/v1') ? {} : { useDeploymentBasedUrls: true, apiVersion: azureVersion }
    return createAzure({ apiKey: secretKey, baseURL: base, headers: extraHeaders, fetch, ...form }).chat(model)
  },

  bedrock: openBedrock,
  'google-vertex-ai': openVertex,

  async 'google-ai-studio'({ secretKey, baseURL, extraHeaders }, model, { fetch }) {
    const { createGoogleGenerativeAI } = await import('@ai-sdk/google')
    const base = versioned(baseURL ?? 'https://generativelanguage.googleapis.com', 'v1beta')
    return createGoogleGenerativeAI({ apiKey: secretKey, baseURL: base, headers: extraHeaders, fetch })(model)
  },
}

/** The name of a model becomes a part of a URL, so the name must not change the other parts of the URL. */
const isModelName = (name: string) =>
  /^[^\s?#%\\]{1,500}$/.test(name) && !name.split('/').some(part => part === '' || part === '.' || part === '..')

/** Throws CallProblem if the connection lacks what its adapter needs. */
export async function openModel(connection: ModelConnection, model: string, tools: AdapterTools): Promise<LanguageModel> {
  if (!isModelName(model)) throw misconfigured(`${model.slice(0, 100)} is not the name of a model.`)
  return adapters[connection.adapter](connection, model, tools)
}
