// An operation of the HTTP API as a value. Routing, validation, documents, clients and tests are derived from it.
import { z } from 'zod'
import type { Bucket } from './buckets.ts'
import { id as anyId } from './fields/fields.ts'
import { maxBodyBytes } from './fields/limits.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/**
 * Credentials that the operation accepts (contract §16.3). `browser` is for the web app before sign-in, and `session` is for the web app
 * after sign-in.
 */
export type Auth = 'open' | 'project' | 'projectOrPublicKey' | 'projectOrInstance' | 'organization' | 'instance' | 'browser' | 'session'

/** The lowest role that allows a session to call the operation. */
export type Role = 'VIEWER' | 'MEMBER' | 'ADMIN' | 'OWNER'

/**
 * An `sdk` operation is one of the 110 operations that published clients call. An `extra` operation is a published addition to the SDK's
 * operations. A `legacy` operation is for older SDKs. A `private` operation is for the web app and appears in no published document.
 */
export type Surface = 'sdk' | 'extra' | 'legacy' | 'private'

/** `nobody` marks an operation that the SDK has, but that no process of this release serves. */
export type ServedBy = 'public-api' | 'gateway' | 'nobody'

/**
 * The form of the operation's errors (contract §16.4, contract §19.1). `named` equals `default`, but a 401 or 403 also contains the name of
 * the error class.
 */
export type ErrorFamily = 'default' | 'named' | 'batch' | 'structured' | 'message' | 'error' | 'scim'

/** Which body consists of bytes instead of JSON: `request` for uploads, `response` for downloads. */
export type Bytes = 'request' | 'response' | undefined

/**
 * The write modes and settings that enable the operation (contract §16.7). A request to a disabled operation gets 404 before its
 * credentials are checked.
 */
export type Gate = 'always' | 'notInEventsOnly' | 'previewOptIn' | 'previewOptInNotInLegacy'

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
  /** The method of the SDK, as `namespace.method`. */
  readonly id: Id
  readonly method: Method
  /** Path in which each parameter is written as `{name}`. */
  readonly path: string
  readonly auth: A
  readonly role: Role
  /** Schema of the path parameters, with every name that occurs in `path`. */
  readonly params: z.ZodObject<Params>
  /** `z.object` ignores unknown keys; `z.strictObject` rejects them. */
  readonly query: Query
  /** Schema of the JSON body, or undefined if the operation takes no body. */
  readonly body: Body | undefined
  /** If true, a request without a body is treated like a request with an empty object. */
  readonly bodyOptional: boolean
  readonly maxBodyBytes: number
  /**
   * If true, the body contains JSON to store, and the parser keeps all digits of its numbers. In this case, the operation's own fields must
   * not contain numbers.
   */
  readonly exactNumbers: boolean
  readonly bytes: Bytes
  /** Response schemas by status. The schema is null if the response has no body, or a body of bytes. */
  readonly responses: R
  /** Codes of the error catalog that the operation can return, except those for credentials, parameters and body. */
  readonly errors: readonly string[]
  readonly family: ErrorFamily
  readonly bucket: Bucket
  readonly gate: Gate
  /**
   * A sentence that names the replacement of the operation. An error response contains this sentence if the operation is disabled or over
   * its rate limit.
   */
  readonly replacedBy: string | undefined
  readonly surface: Surface
  readonly servedBy: ServedBy
  /**
   * The operation reads the column store. It accepts `waitFor`: the `x-svc-ingest-id` of data that must be readable before the read
   * (contract §23).
   */
  readonly waits: boolean
  /** Parameters of a streamed response, or undefined if the operation has no streams (`streams.ts`). */
  readonly streamQuery: Query | undefined
  /** True if the SDK's method takes the argument `{}` before its request options (contract §4.1). */
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

type NamesIn<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}` ? Name | NamesIn<Rest> : never

/** The schemas of the path parameters. A parameter without a schema is an id. */
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

/** A viewer can read, a member can change contents, and an owner can change the organization. */
function usualRole({ method, auth }: Pick<Operation, 'method' | 'auth'>): Role {
  if (method === 'GET') return 'VIEWER'
  return auth === 'organization' ? 'OWNER' : 'MEMBER'
}

/** Creates an operation. A path parameter without a schema is treated as an id. A property that the caller omits gets its default. */
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
    exactNumbers: false,
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
