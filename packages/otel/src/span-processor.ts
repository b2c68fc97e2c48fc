// Adds attributes to starting spans, and prepares ended spans for the export.
import { type Context, context } from '@opentelemetry/api'
import { suppressTracing } from '@opentelemetry/core'
import type { ReadableSpan, Span, SpanExporter, SpanProcessor } from '@opentelemetry/sdk-trace-base'
import {
  createMediaApi,
  getEnv,
  getGlobalLogger,
  getPropagatedAttributesFromContext,
  LogLevel,
  type MediaApi,
  resolveBaseUrl,
  resolveTimeoutSeconds,
  SVC_SDK_NAME,
  SVC_SDK_VERSION,
  SvcOtelSpanAttributes,
  uploadMedia,
} from '@svc/core'
import { AppRoots } from './app-root.ts'
import { type MaskFunction, maskAttributes } from './attributes/masking.ts'
import { extractMedia, type FoundMedia, mayHoldMedia } from './attributes/media.ts'
import { type Delegate, ownExporterDelegate, serverDelegate } from './delegate.ts'
import { exportHeaders } from './export/headers.ts'
import { HeldTraces, type WaitUntil } from './held-traces.ts'
import { LostSpans } from './lost-spans.ts'
import * as settings from './settings.ts'
import { isDefaultExportSpan } from './span-filter.ts'
import { settledWithin } from './within.ts'

/**
 * Decides whether a span is exported. Only the result `false` drops the span. The function is called when a span starts and when it has
 * ended, so it must have no side effects.
 */
export type ShouldExportSpan = (params: { otelSpan: ReadableSpan }) => boolean

export interface SvcSpanProcessorParams {
  /**
   * An exporter in place of the SDK's own exporter. The export of spans then does not use the keys, `baseUrl`, `timeout`, `compression`,
   * `additionalHeaders` and the maximum size of one request.
   */
  readonly exporter?: SpanExporter | undefined
  /** `SVC_PUBLIC_KEY` by default. */
  readonly publicKey?: string | undefined
  /** `SVC_SECRET_KEY` by default. */
  readonly secretKey?: string | undefined
  /** Default: the value of `SVC_BASE_URL`, else of `SVC_BASEURL`. */
  readonly baseUrl?: string | undefined
  /** Maximum number of spans in one request; by default, the value of `SVC_FLUSH_AT`, else 512. */
  readonly flushAt?: number | undefined
  /** Seconds between requests; by default, the value of `SVC_FLUSH_INTERVAL`, else 5. */
  readonly flushInterval?: number | undefined
  /** Replaces inputs, outputs and metadata values before a span is exported. */
  readonly mask?: MaskFunction | undefined
  /** Replaces the default filter, which exports only LLM spans. */
  readonly shouldExportSpan?: ShouldExportSpan | undefined
  /** True if content is uploaded and replaced with tags; by default, the value of `SVC_MEDIA_UPLOAD_ENABLED`, else true. */
  readonly mediaUploadEnabled?: boolean | undefined
  /** `SVC_TRACING_ENVIRONMENT` by default. */
  readonly environment?: string | undefined
  /** `SVC_RELEASE` by default. */
  readonly release?: string | undefined
  /** Time limit of a request in seconds; by default, the value of `SVC_TIMEOUT`, else 5. */
  readonly timeout?: number | undefined
  /** Additional headers of each request, which override default headers with the same name. The case of a name is ignored. */
  readonly additionalHeaders?: Readonly<Record<string, string>> | undefined
  /** `immediate` exports each span when it ends, for processes that are frozen between requests. */
  readonly exportMode?: 'batched' | 'immediate' | undefined
  /**
   * The platform's `waitUntil`, or `after` of Next.js. This function is needed if the platform freezes the process after the response.
   * The processor calls this function with a promise when the first span of a trace starts. The promise settles when the last span of the
   * trace has been sent.
   */
  readonly waitUntil?: WaitUntil | undefined
  /** Compression of requests (default `gzip`). In browsers and edge runtimes, requests are not compressed. */
  readonly compression?: 'gzip' | 'none' | undefined
}

/** Maximum wait for masks and uploads. */
const longestWaitMs = 10_000

export class SvcSpanProcessor implements SpanProcessor {
  private readonly delegate: Delegate
  private readonly mediaApi: MediaApi | undefined
  private readonly timeoutSeconds: number
  private readonly mask: MaskFunction | undefined
  private readonly shouldExport: (span: ReadableSpan) => boolean
  private readonly environment: string | undefined
  private readonly release: string | undefined
  private readonly lost: LostSpans = new LostSpans()
  private readonly appRoots: AppRoots = new AppRoots()
  private readonly held: HeldTraces | undefined
  private readonly processing: Set<Promise<void>> = new Set()
  private readonly uploads: Set<Promise<void>> = new Set()

  constructor(params: SvcSpanProcessorParams = {}) {
    const { exporter, mask, shouldExportSpan, additionalHeaders, waitUntil } = params
    this.held = waitUntil && new HeldTraces(waitUntil, () => this.forceFlush())
    const publicKey = params.publicKey ?? getEnv('SVC_PUBLIC_KEY')
    const secretKey = params.secretKey ?? getEnv('SVC_SECRET_KEY')
    const baseUrl = resolveBaseUrl(params.baseUrl)
    this.timeoutSeconds = resolveTimeoutSeconds(params.timeout)
    this.mask = mask ?? undefined
    this.shouldExport = shouldExportSpan ? otelSpan => shouldExportSpan({ otelSpan }) !== false : isDefaultExportSpan
    this.environment = params.environment ?? getEnv('SVC_TRACING_ENVIRONMENT')
    this.release = params.release ?? getEnv('SVC_RELEASE')

    const batching = {
      exportMode: params.exportMode ?? 'batched',
      flushAt: settings.flushAt(params.flushAt ?? undefined),
      flushIntervalMs: settings.flushIntervalMs(params.flushInterval ?? undefined),
      lost: this.lost,
    } as const
    if (exporter) {
      this.delegate = ownExporterDelegate(exporter, batching)
    } else {
      if (publicKey === undefined) warnOfMissing('public key', 'publicKey', 'SVC_PUBLIC_KEY')
      if (secretKey === undefined) warnOfMissing('secret key', 'secretKey', 'SVC_SECRET_KEY')
      const request = {
        baseUrl,
        headers: exportHeaders({ publicKey, secretKey, additionalHeaders: additionalHeaders ?? undefined }),
        timeoutMs: this.timeoutSeconds * 1000,
        compression: settings.compression(params.compression ?? undefined),
        maxBatchBytes: settings.maxBatchBytes(),
      }
      this.delegate = serverDelegate(request, batching)
    }
    if (settings.mediaUploadEnabled(params.mediaUploadEnabled ?? undefined)) {
      this.mediaApi = createMediaApi({
        environment: baseUrl,
        username: publicKey,
        password: secretKey,
        xSvcSdkName: SVC_SDK_NAME,
        xSvcSdkVersion: SVC_SDK_VERSION,
        xSvcPublicKey: publicKey ?? '<missing>',
        headers: additionalHeaders ?? undefined,
      })
    }
  }

  onStart(span: Span, parentContext: Context): void {
    if (isOfOlderSdk(span)) return
    const { attributes } = span
    const propagated = getPropagatedAttributesFromContext(parentContext)
    for (const key in propagated) {
      // The span's own prompt takes precedence over the propagated prompt.
      const isPrompt = key === SvcOtelSpanAttributes.OBSERVATION_PROMPT_NAME || key === SvcOtelSpanAttributes.OBSERVATION_PROMPT_VERSION
      if (isPrompt && attributes[SvcOtelSpanAttributes.OBSERVATION_PROMPT_NAME] !== undefined) delete propagated[key]
    }
    if (this.environment !== undefined) propagated[SvcOtelSpanAttributes.ENVIRONMENT] ??= this.environment
    if (attributes[SvcOtelSpanAttributes.ENVIRONMENT] !== undefined) delete propagated[SvcOtelSpanAttributes.ENVIRONMENT]
    if (this.release !== undefined) propagated[SvcOtelSpanAttributes.RELEASE] = this.release
    span.setAttributes(propagated)
    try {
      const willBeExported = this.shouldExport(span)
      if (this.appRoots.start(span, parentContext, willBeExported)) {
        span.setAttribute(SvcOtelSpanAttributes.IS_APP_ROOT, true)
      }
      if (willBeExported) this.held?.start(span.spanContext().traceId)
    } catch (error) {
      getGlobalLogger().debug('The span is not marked as an application root: the export filter failed.', error)
    }
  }

  onEnd(span: ReadableSpan): void {
    if (isOfOlderSdk(span)) {
      this.lost.add('their tracer provider belongs to SDK 1 of OpenTelemetry: install its packages of version 2', 1)
      return
    }
    const wasExpected = this.appRoots.end(span)
    this.prepare(span)
    if (wasExpected) this.held?.end(span.spanContext().traceId)
  }

  private prepare(span: ReadableSpan): void {
    if (!this.isExported(span)) return
    // Most spans need neither a mask nor an upload.
    if (this.mask === undefined && (this.mediaApi === undefined || !mayHoldMedia(span))) {
      this.pass(span)
      return
    }
    const processing = this.process(span).then(
      () => this.pass(span),
      (error: unknown) => {
        getGlobalLogger().error(`Span '${span.name}' is not exported: it could not be masked, or its media could not be replaced.`, error)
      },
    )
    this.processing.add(processing)
    void processing.then(() => this.processing.delete(processing))
  }

  /**
   * Exports all ended spans and their media. The promise resolves within the time limits of masks and uploads (`longestWaitMs`) and of the
   * delivery (`flushTimeoutMs`). Spans that are not delivered in time are kept, and their number is logged.
   */
  async forceFlush(): Promise<void> {
    await this.prepared()
    await Promise.all([settledWithin(all(this.uploads), longestWaitMs), this.delegate.forceFlush()])
  }

  /** Like forceFlush, but waits longer for an unreachable server, because the processor cannot be used afterwards. */
  async shutdown(): Promise<void> {
    await this.prepared()
    await Promise.all([settledWithin(all(this.uploads), longestWaitMs), this.delegate.shutdown()])
    this.lost.report()
  }

  private async prepared(): Promise<void> {
    if (this.processing.size > 0) await settledWithin(all(this.processing), longestWaitMs)
  }

  private isExported(span: ReadableSpan): boolean {
    try {
      if (this.shouldExport(span)) return true
      const logger = getGlobalLogger()
      if (logger.isLevelEnabled(LogLevel.DEBUG)) logger.debug(`Span '${span.name}' is not exported: the export filter excludes it.`)
    } catch (error) {
      getGlobalLogger().error(`Span '${span.name}' is not exported: the export filter failed.`, error)
    }
    return false
  }

  private async process(span: ReadableSpan): Promise<void> {
    if (this.mask) await maskAttributes(span.attributes, this.mask)
    if (this.mediaApi && mayHoldMedia(span)) {
      for (const found of await extractMedia(span)) this.upload(this.mediaApi, found, span)
    }
  }

  private pass(span: ReadableSpan): void {
    const logger = getGlobalLogger()
    if (logger.isLevelEnabled(LogLevel.DEBUG)) logger.debug(`Span '${span.name}' goes to the exporter.`, dump(span))
    this.delegate.onEnd(span)
  }

  private upload(apiClient: MediaApi, { media, field }: FoundMedia, span: ReadableSpan): void {
    const { traceId, spanId } = span.spanContext()
    const timeoutInSeconds = this.timeoutSeconds
    const upload = context.with(suppressTracing(context.active()), () =>
      uploadMedia({ apiClient, media, traceId, observationId: spanId, field, timeoutInSeconds }),
    )
    const settled = upload.catch((error: unknown) => getGlobalLogger().error(`Media of span ${spanId} was not uploaded.`, error))
    this.uploads.add(settled)
    void settled.then(() => this.uploads.delete(settled))
  }
}

/**
 * True for a span of OpenTelemetry's SDK 1. Such a span has neither a scope nor its parent's context. npm installs SDK 1 beside this
 * package without a warning.
 */
const isOfOlderSdk = ({ instrumentationScope }: Partial<ReadableSpan>): boolean => instrumentationScope === undefined

const all = (promises: ReadonlySet<Promise<void>>): Promise<unknown> => Promise.allSettled(promises)

function warnOfMissing(what: string, option: string, variable: string): void {
  getGlobalLogger().warn(`There is no ${what}: span exports will fail. Pass ${option} to SvcSpanProcessor or set ${variable}.`)
}

/** Describes the span for the log. This function must not throw for any span. */
function dump(span: ReadableSpan): string {
  try {
    return JSON.stringify({ name: span.name, ...span.spanContext(), attributes: span.attributes }, undefined, 2)
  } catch (error) {
    return `It cannot be shown: ${String(error)}`
  }
}
