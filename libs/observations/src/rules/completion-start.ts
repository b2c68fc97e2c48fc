// First-token times, sent as a delay or as a point in time.
import { valueKind } from '../span-view/any-value.ts'
import { wireText } from '../span-view/json-text.ts'
import type { SpanView } from '../span-view/span-view.ts'
import { keyFlag } from '../span-view/vocabulary.ts'
import type { Rule } from './rules.ts'
import { microsOfIso } from './time.ts'

const maxDelayUs = 366 * 86_400_000_000
const longestTime = 64

const firstPiece = '(?:(?:output|response|content)_?)?(?:chunk|token)'
/**
 * Matches all keys that conventions and SDKs have used for first-token times, such as `gen_ai.response.time_to_first_chunk`,
 * `ai.response.msToFirstChunk` and `lk.response.ttft`. A key with `first_byte` or `ttfb` is accepted only if it begins with a prefix of
 * model calls, such as `gen_ai.` or `openai.`, or if it is Pipecat's key.
 */
export const firstTokenKey = new RegExp(
  [
    `^(?!svc\\.)(?!.*[._](?:request|limit|timeout|max)[._])(?:.*[._])?(?:${[
      `(?:time|ms|milliseconds|seconds|latency)_?to_?first_?${firstPiece}`,
      `first_?${firstPiece}_?(?:time(?:stamp)?|latency|delay|at|ms|s|seconds)(?![a-z])`,
      '(?:ttft|ttfc)(?![a-z])',
      'completion[._]?start_?time(?![a-z])',
    ].join('|')})`,
    '^(?:gen_ai|llm|ai|lk|openrouter|litellm|openai|anthropic|aws\\.bedrock|strands)\\.(?!request\\.)(?:.*[._])?(?:(?:time|ms)_?to_?first_?byte|ttfb(?![a-z]))',
    // Pipecat's name.
    '^metrics\\.ttfb$',
  ].join('|'),
  'i',
)

/** Delays are in seconds unless the name contains another unit. */
const units: readonly (readonly [name: RegExp, toUs: (delay: number) => number])[] = [
  [/(?:^|[._])(?:ms|millis|milliseconds?|msec)(?:$|[._])/, ms => Math.ceil(ms) * 1000],
  [/(?:^|[._])(?:us|micros|microseconds?)(?:$|[._])/, us => Math.round(us)],
  [/(?:^|[._])(?:ns|nanos|nanoseconds?)(?:$|[._])/, ns => Math.round(ns / 1000)],
]
/** `420ms`, `0.42 s`. */
const withUnit = /^\s*([\d.]+)\s*(ms|us|ns|s)\s*$/
const seconds = (delay: number) => Math.round(delay * 1e6)

type ToMicros = (delay: number) => number
/** Caches the unit of time that each key implies, because all spans of an exporter have the same keys. */
const known = new Map<string, ToMicros>()
const mostKnown = 500

function unitOf(key: string): ToMicros {
  let unit = known.get(key)
  if (unit === undefined) {
    unit = readUnit(key)
    if (known.size >= mostKnown) known.clear()
    if (key.length <= 200) known.set(key, unit)
  }
  return unit
}

const readUnit = (key: string): ToMicros => {
  const words = key.replace(/([a-z\d])([A-Z])/g, '$1_$2').toLowerCase()
  return units.find(([name]) => name.test(words))?.[1] ?? seconds
}

/**
 * Strands sends milliseconds under a name that implies seconds. The mapping reads such a delay as milliseconds if three conditions are
 * true: the delay is a whole number of at least 50; a delay of that many seconds would reach beyond the end of the span; and a delay of
 * that many milliseconds would not.
 */
const isMilliseconds = (span: SpanView, delay: number): boolean =>
  Number.isInteger(delay) && delay >= 50 && span.startUs + delay * 1e6 > span.endUs && span.startUs + delay * 1000 <= span.endUs

/** The unit can be seconds, milliseconds, microseconds, or nanoseconds. Only the right unit gives a time near the present. */
function microsOfEpoch(time: number): number | undefined {
  for (let us = time * 1e6; us >= earliestEpochUs; us /= 1000) if (us <= latestEpochUs) return Math.round(us)
  return undefined
}
const earliestEpochUs = Date.UTC(2015) * 1000
const latestEpochUs = Date.UTC(2100) * 1000

/** Ignores 0 and invalid numbers. */
function firstTokenAt(span: SpanView, entry: number): number | undefined {
  const { kind, start, end, number } = span.attributes.value(entry)
  const isNumber = kind === valueKind.int || kind === valueKind.double
  const text = kind === valueKind.text && end - start < longestTime ? wireText(span.source, start, end) : ''
  const [, digits = text, given] = withUnit.exec(text) ?? []
  const delay = isNumber ? number : digits === '' ? Number.NaN : Number(digits)
  const { keys, table } = span.attributes
  const unit = unitOf(given ?? table.nameOf(keys[entry]!))
  const delayUs = unit === seconds && isMilliseconds(span, delay) ? delay * 1000 : unit(delay)
  if (delayUs > 0 && delayUs <= maxDelayUs) return span.startUs + delayUs
  const time = microsOfEpoch(delay) ?? (text === '' ? undefined : microsOfIso(text))
  if (time !== undefined) return time
  if (delay !== 0) span.lose('unfit_value', entry)
  return undefined
}

/** The earliest time wins. */
export const saidDelay: Rule<number> = {
  name: 'time to the first token',
  read(span) {
    const { attributes } = span
    if ((attributes.seenFlags & keyFlag.firstToken) === 0) return undefined
    let first: number | undefined
    for (let entry = span.ownFrom; entry < attributes.length; entry++) {
      if ((attributes.flags[entry]! & keyFlag.firstToken) === 0 || !attributes.isSet(entry)) continue
      const at = firstTokenAt(span, entry)
      if (at === undefined || (first !== undefined && first <= at)) continue
      first = at
      if (span.explanation !== null) {
        span.explanation.begin()
        span.explanation.used(span, entry)
      }
    }
    return first
  },
}
