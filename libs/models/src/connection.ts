// A connection to a model provider, with decrypted secrets. It exists only during a call.

export type ModelAdapter = 'anthropic' | 'openai' | 'azure' | 'bedrock' | 'google-vertex-ai' | 'google-ai-studio'

export interface ModelConnection {
  readonly adapter: ModelAdapter
  readonly secretKey: string
  readonly baseURL: string | null
  readonly extraHeaders: Readonly<Record<string, string>>
  /** Of the adapter (contract §18.7). */
  readonly config: Readonly<Record<string, unknown>> | null
}

/** If the secret of a connection is one of these texts, the server uses the credentials of its machine. */
export const bedrockDefaultCredentials = '__BEDROCK_DEFAULT_CREDENTIALS__'
export const vertexDefaultCredentials = '__VERTEXAI_DEFAULT_CREDENTIALS__'

export const usesDefaultCredentials = (secretKey: string): boolean =>
  secretKey === bedrockDefaultCredentials || secretKey === vertexDefaultCredentials

/** A small model of each provider, for connections that list no models. Azure has none, because its deployments can have any name. */
export const usualModels: Readonly<Record<ModelAdapter, string | undefined>> = {
  anthropic: 'claude-haiku-4-5',
  openai: 'gpt-4.1-mini',
  azure: undefined,
  bedrock: 'amazon.nova-lite-v1:0',
  'google-vertex-ai': 'gemini-2.5-flash',
  'google-ai-studio': 'gemini-2.5-flash',
}
