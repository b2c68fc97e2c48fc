// What a route is: what it takes and what it does. Everything else (who asks, how large, how an error is
// said) is the same for all.
import type { IncomingMessage } from 'node:http'
import type { Answer, Lease } from '@svc-server/service/bodies'
import type { Administrator, Caller } from './identify.ts'

interface RouteRequest {
  readonly raw: IncomingMessage
  /** Of the path, decoded. */
  readonly params: Readonly<Record<string, string>>
  readonly query: URLSearchParams
}

export interface CallerRequest extends RouteRequest {
  readonly caller: Caller
}

export interface AdministratorRequest extends RouteRequest {
  readonly administrator: Administrator
}

/** What has come of a request's body. */
export interface Received {
  readonly body: Buffer
  /** What the request holds of the memory for bodies; grows with what is made of it. */
  readonly lease: Lease
  /** The client has left: there is nobody to answer. */
  readonly gone: () => boolean
  /** The memory is held until then, however the request ends. */
  holdUntil(settled: Promise<void>): void
}

export interface BodyRequest extends CallerRequest, Received {}

export interface AdministratorBodyRequest extends AdministratorRequest, Pick<Received, 'body'> {}

interface Route {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE' | 'PUT'
  /** With `:name` for a parameter. */
  readonly path: string
  /** How errors are said; absent: as everywhere. */
  readonly errors?: 'projects'
}

/** Anybody may ask: health, and what is removed in this mode. */
interface OpenRoute extends Route {
  readonly kind: 'open'
  answer(request: RouteRequest): Promise<Answer> | Answer
}

interface CallerRoute extends Route {
  readonly kind: 'caller'
  answer(request: CallerRequest): Promise<Answer>
}

/** What the caller may read: it waits for its turn, and its answer may be long. */
interface ReaderRoute extends Route {
  readonly kind: 'reader'
  answer(request: CallerRequest): Promise<Answer>
}

interface BodyRoute extends Route {
  readonly kind: 'body'
  readonly access: 'project' | 'scores'
  readonly maxBytes: number
  answer(request: BodyRequest): Promise<Answer>
}

/** For an organisation's key. */
interface AdministratorRoute extends Route {
  readonly kind: 'administrator'
  answer(request: AdministratorRequest): Promise<Answer>
}

interface AdministratorBodyRoute extends Route {
  readonly kind: 'administrator-body'
  readonly maxBytes: number
  answer(request: AdministratorBodyRequest): Promise<Answer>
}

export type Endpoint = OpenRoute | CallerRoute | ReaderRoute | BodyRoute | AdministratorRoute | AdministratorBodyRoute
