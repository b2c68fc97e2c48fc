import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { finishedPrefix } from '../src/chunk.ts'
import { type Envelope, envelopeOf, withPayload } from '../src/envelope.ts'
import { defer, drop, emit, pipe, reject, runStage, type Stage, type StageResult } from '../src/stage.ts'
import { down, recordsAt } from './scripted-log.ts'

type Verdict = 'emit' | 'drop' | 'reject' | 'defer'
const verdicts = fc.array(fc.constantFrom<Verdict>('emit', 'drop', 'reject', 'defer'), { maxLength: 30 })

const resultOf = <T>(verdict: Verdict, envelope: Envelope<T>): StageResult<T> => {
  if (verdict === 'emit') return emit(envelope)
  if (verdict === 'drop') return drop('unwanted')
  return verdict === 'reject' ? reject('test', 'record_undecodable', 'no good') : defer(5, down())
}
const envelopes = (count: number) => recordsAt(Array.from({ length: count }, (_, offset) => offset)).map(envelopeOf)
const judging =
  (verdict: readonly Verdict[]): Stage<Uint8Array, string> =>
  envelope =>
    resultOf(verdict[envelope.position.offset]!, withPayload(envelope, String(envelope.position.offset)))

describe('laws of stages', () => {
  test('N envelopes yield N results in order, even if some take longer than others', () =>
    fc.assert(
      fc.asyncProperty(verdicts, fc.scheduler(), async (verdict, scheduler) => {
        const stage: Stage<Uint8Array, string> = async envelope => {
          await scheduler.schedule(Promise.resolve())
          return judging(verdict)(envelope)
        }
        const results = await scheduler.waitFor(runStage(stage, envelopes(verdict.length)))
        expect(results.map(result => result.kind)).toEqual(verdict)
        for (const [offset, result] of results.entries()) {
          if (result.kind === 'emit') expect(result.envelope.payload).toBe(String(offset))
        }
      }),
    ))

  test('the same input gives the same output and stays unchanged', () =>
    fc.assert(
      fc.asyncProperty(verdicts, verdicts, async (one, two) => {
        const count = Math.min(one.length, two.length)
        const stage = pipe(judging(one), envelope => resultOf(two[envelope.position.offset]!, envelope))
        const input = envelopes(count)
        const before = structuredClone(input)
        const first = await runStage(stage, input)
        expect(await runStage(stage, input)).toEqual(first)
        expect(structuredClone(input)).toEqual(before)
      }),
    ))

  test('a pipe passes only the envelopes that the first stage emits to the second stage', () =>
    fc.assert(
      fc.asyncProperty(verdicts, async verdict => {
        const asked: number[] = []
        const stage = pipe(judging(verdict), envelope => {
          asked.push(envelope.position.offset)
          return drop('seen')
        })
        const results = await runStage(stage, envelopes(verdict.length))
        expect(asked).toEqual(verdict.flatMap((one, offset) => (one === 'emit' ? [offset] : [])))
        expect(results.map(result => result.kind)).toEqual(verdict.map(one => (one === 'emit' ? 'drop' : one)))
      }),
    ))

  test('the finished prefix ends before the first deferred result', () =>
    fc.assert(
      fc.asyncProperty(verdicts, async verdict => {
        const input = envelopes(verdict.length)
        const results = await runStage(judging(verdict), input)
        const prefix = finishedPrefix(input.map((envelope, index) => ({ envelope, result: results[index]! })))
        const blocked = verdict.indexOf('defer')
        expect(prefix.map(({ envelope }) => envelope.position.offset)).toEqual(
          input.slice(0, blocked === -1 ? input.length : blocked).map(envelope => envelope.position.offset),
        )
      }),
    ))

  test('an envelope keeps provenance and bytes with every payload', () => {
    const [envelope] = envelopes(1)
    expect(withPayload(envelope!, { other: true })).toEqual({ ...envelope, payload: { other: true } })
  })
})
