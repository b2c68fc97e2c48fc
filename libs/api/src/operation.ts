// An operation of the HTTP API as a value. Routing, validation, documents, clients and tests are derived from it, and nothing of it is written twice.
import { z } from 'zod'
import { id as anyId } from './fields/fields.ts'
import { maxBodyBytes } from './fields/limits.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** Whose credentials it takes (contract §16.3). `browser`: of the web app, before somebody is signed in; `session`: after that. */
export type Auth = 'open' | 'project' | 'projectOrPublicKey' | 'projectOrInstance' | 'organization' | 'instance' | 'browser' | 'session'

/** The least role of a session that may do it: in the project, or in the organization. */
export type Role = 'VIEWER' | 'MEMBER' | 'ADMIN' | 'OWNER'

/** `sdk`: of the contract's 110. `extra`: ours, published. `legacy`: of older SDKs. `private`: of the web app, in no published document. */
export type Surface = 'sdk' | 'extra' | 'legacy' | 'private'

/** `nobody`: its definition is there for the SDK, and this release has no handler. */
export type ServedBy = 'public-api' | 'gateway' | 'nobody'

/** How its errors look (contract §16.4, contract §19.1). `named`: as `default`, where a refusal of credentials has the name of its class, too. */
export type ErrorFamily = 'default' | 'named' | 'batch' | 'structured' | 'message' | 'error' | 'scim'

/** Whose body is bytes instead of JSON: `request`, whose client sends them, or `response`. */
export type Bytes = 'request' | 'response' | undefined

/** In which write modes and settings it is served (contract §16.7); elsewhere it is 404, before credentials. */
export type Gate = 'always' | 'notInEventsOnly' | 'previewOptIn' | 'previewOptInNotInLegacy'

/** Which rate limit it would count in (contract §16.6); self-hosted installations have none. */
export type Bucket =
  | 'public-api'
  | 'public-api-legacy'
  | 'ingestion'
  | 'legacy-ingestion'
  | 'media-upload'
  | 'prompts'
  | 'public-api-v2-metrics'
  | 'public-api-metrics'
  | 'public-api-daily-metrics-legacy'
  | 'datasets'
  | 'annotation-queues'
  | 'trace-delete'
  | 'score-delete'
  | 'feedback'
  | 'none'

export type Fields = Readonly<Record<string, z.ZodType>>
export type Responses = Readonly<Record<number, z.ZodType | null>>

interface Definition<
  Id extends string,
  A extends Auth,
  Params extends Fields,
  Query extends z.ZodType,
  Body extends z.ZodType,
  R extends Responses,
> {
  /** The SDK's `namespace.method`. */
  readonly id: Id
  readonly method: Method
  /** With `{name}` for a parameter. */
  readonly path: string
  readonly auth: A
  readonly role: Role
  /** Decoded from the path; every name in `path` is one. */
  readonly params: z.ZodObject<Params>
  /** `z.object` ignores unknown keys, `z.strictObject` refuses them. */
  readonly query: Query
  /** Of a JSON body; undefined: it takes none. */
  readonly body: Body | undefined
  /** A request without a body counts as an empty object. */
  readonly bodyOptional: boolean
  readonly maxBodyBytes: number
  readonly bytes: Bytes
  /** By status; null: no body, or bytes. */
  readonly responses: R
  /** Codes of the error catalogue that it answers beside those of its credentials, parameters and body. */
  readonly errors: readonly string[]
  readonly family: ErrorFamily
  readonly bucket: Bucket
  readonly gate: Gate
  /** What replaces it where its gate is closed; a sentence that names it. */
  readonly replacedBy: string | undefined
  readonly surface: Surface
  readonly servedBy: ServedBy
  /** Reads the column store: it takes `waitFor`, the `x-svc-ingest-id` of what must be readable first (contract §23). */
  readonly waits: boolean
  /** Its parameters where the response is a stream of all rows; undefined: it never is (`streams.ts`). */
  readonly streamQuery: Query | undefined
  /** The SDK's method takes `{}` before its request options (contract §4.1). */
  readonly emptyRequest: boolean
  readonly summary: string
}

export type Operation<
  Id extends string = string,
  A extends Auth = Auth,
  Params extends Fields = Fields,
  Query extends z.ZodType = z.ZodType,
  Body extends z.ZodType = z.ZodType,
  R extends Responses = Responses,
> = Readonly<Definition<Id, A, Params, Query, Body, R>>

/** Names of the parameters in a path. */
type NamesIn<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}` ? Name | NamesIn<Rest> : never

/** Every parameter of a path: as it is given, else an id. */
type ParamsIn<Path extends string, Params extends Fields> = {
  readonly [Name in NamesIn<Path>]: Name extends keyof Params ? Params[Name] : typeof anyId
}

type Given<
  Id extends string,
  Path extends string,
  A extends Auth,
  Params extends Fields,
  Query extends z.ZodType,
  Body extends z.ZodType,
  R extends Responses,
> = Pick<Definition<Id, A, Params, Query, Body, R>, 'id' | 'method' | 'auth' | 'responses' | 'summary'> &
  Partial<Omit<Definition<Id, A, Params, Query, Body, R>, 'params' | 'path'>> & { readonly path: Path; readonly params?: Params }

const noQuery = z.object({})
export type NoQuery = typeof noQuery

export const namesIn = (path: string): readonly string[] => [...path.matchAll(/\{(\w+)\}/g)].map(match => match[1]!)

/** People read what they see and change its contents; an organization is its owners'. */
function usualRole({ method, auth }: Pick<Operation, 'method' | 'auth'>): Role {
  if (method === 'GET') return 'VIEWER'
  return auth === 'organization' ? 'OWNER' : 'MEMBER'
}

/** Completes a definition: parameters of the path are ids, and what is not said is as for most operations. */
export function operation<
  const Id extends string,
  const Path extends string,
  const A extends Auth,
  const R extends Responses,
  Params extends Fields = Readonly<Record<never, z.ZodType>>,
  Query extends z.ZodType = NoQuery,
  Body extends z.ZodType = z.ZodUndefined,
>(given: Given<Id, Path, A, Params, Query, Body, R>): Operation<Id, A, ParamsIn<Path, Params>, Query, Body, R> {
  const { params, query = noQuery as z.ZodType as Query, surface = 'sdk', gate = 'always', ...rest } = given
  const named = Object.fromEntries(namesIn(given.path).map(name => [name, params?.[name] ?? anyId]))
  return {
    role: usualRole(given),
    bodyOptional: false,
    maxBodyBytes,
    errors: [],
    family: 'default',
    bucket: 'public-api',
    replacedBy: undefined,
    servedBy: 'public-api',
    waits: false,
    emptyRequest: false,
    bytes: undefined,
    body: undefined,
    streamQuery: undefined,
    ...rest,
    ...{ query, surface, gate, params: z.object(named) as unknown as z.ZodObject<ParamsIn<Path, Params>> },
  }
}
