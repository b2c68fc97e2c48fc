// Checks that the fields of a connection suit its adapter. Also returns the part of the secret that is displayed (contract §18.7).
import type { LlmAdapter } from '@svc-server/api/llm-connections/types'
import { bedrockDefaultCredentials, usesDefaultCredentials } from '@svc-server/models/connection'
import { z } from 'zod'
import { InvalidBody } from '../../validation/invalid-body.ts'
import { issuesOf, refused } from '../../validation/refusals.ts'
import { storedJson } from '../../validation/stored-json.ts'

type Adapter = z.output<typeof LlmAdapter>
type Config = Readonly<Record<string, unknown>>

const configs: Readonly<Partial<Record<Adapter, z.ZodType<Config>>>> = {
  bedrock: z.strictObject({ region: z.string().min(1).max(200) }),
  openai: z.strictObject({ useResponsesApi: z.boolean().optional() }),
  'google-vertex-ai': z.strictObject({ location: z.string().min(1).max(200).optional() }),
}

const bedrockSecret = z.union([
  z.object({ apiKey: z.string().min(1) }),
  z.object({ accessKeyId: z.string().min(1), secretAccessKey: z.string().min(1) }),
])

function isBedrockSecret(text: string): boolean {
  try {
    return bedrockSecret.safeParse(storedJson(text)).success
  } catch {
    return false
  }
}

/** Throws InvalidBody if the adapter does not accept the value. */
export function adapterConfig(adapter: Adapter, { secretKey, config }: { readonly secretKey: string; readonly config: Config | null }) {
  const schema = configs[adapter]
  if (schema === undefined && config !== null && Object.keys(config).length > 0)
    throw new InvalidBody(refused(`The adapter ${adapter} accepts no configuration.`, ['config']))
  if (adapter === 'bedrock' && config === null)
    throw new InvalidBody(refused('The adapter "bedrock" needs a region.', ['config', 'region']))
  if (adapter === 'bedrock' && secretKey !== bedrockDefaultCredentials && !isBedrockSecret(secretKey))
    throw new InvalidBody(refused('Expected JSON text with apiKey, or with accessKeyId and secretAccessKey.', ['secretKey']))
  if (schema === undefined || config === null) return null
  const parsed = schema.safeParse(config)
  if (!parsed.success) throw new InvalidBody(issuesOf(parsed.error, ['config']))
  return parsed.data
}

const headerName = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,200}$/
const headerValue = /^[\t\x20-\x7e\x80-\xff]{0,10000}$/

/** Throws InvalidBody for an invalid header. */
export function requireHeaders(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  for (const [name, value] of Object.entries(headers)) {
    if (!headerName.test(name) || !headerValue.test(value))
      throw new InvalidBody(refused('Is not a valid HTTP header.', ['extraHeaders', name.slice(0, 100)]))
  }
  return headers
}

/**
 * Returns the last characters of a secret, by which users recognize it. If the secret is JSON, its closing quote and brace are left out.
 */
export function displayedSecret(secret: string): string {
  if (usesDefaultCredentials(secret)) return 'Default credentials of the server'
  const end = secret.endsWith('"}') ? secret.slice(0, -2) : secret
  return `...${end.slice(-4)}`
}
