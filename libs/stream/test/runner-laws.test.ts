import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { defer, drop, emit, reject, type Stage } from '../src/stage.ts'
import { offsetsWithHoles, run } from './running.ts'
import { createScriptedLog, down, recordsAt } from './scripted-log.ts'

describe('laws of the runner', () => {
  test('only a contiguous prefix of finished results moves the offset', () =>
    fc.assert(
      fc.asyncProperty(offsetsWithHoles, fc.func(fc.constantFrom('emit', 'drop', 'reject', 'defer')), async (offsets, verdict) => {
        const scripted = createScriptedLog(recordsAt(offsets))
        const stage: Stage<Uint8Array, Uint8Array> = envelope => {
          const kind = verdict(envelope.position.offset)
          if (kind === 'emit') return emit(envelope)
          if (kind === 'drop') return drop('unwanted')
          return kind === 'reject' ? reject('test', 'record_undecodable', 'no good') : defer(3, down())
        }
        // With twenty or more rejections, the partition would halt.
        fc.pre(offsets.filter(offset => verdict(offset) === 'reject').length < 20)
        const seen = await run({ scripted, stage })
        const outcome = await scripted.deliver()
        const blocked = offsets.find(offset => verdict(offset) === 'defer')
        expect(outcome).toEqual(blocked === undefined ? { kind: 'done' } : { kind: 'pause', afterMs: 3 })
        const end = blocked ?? offsets.at(-1)! + 1
        const finished = offsets.filter(offset => offset < end)
        if (finished.length > 0) expect(scripted.commits.at(-1)).toMatchObject({ offset: end, metadata: '' })
        else expect(scripted.commits).toEqual([])
        expect(seen.stored.flatMap(chunk => chunk.offsets)).toEqual(finished.filter(offset => verdict(offset) === 'emit'))
        expect(scripted.appended.map(deadLetter => Number(Buffer.from(deadLetter.value!).toString()))).toEqual(
          finished.filter(offset => verdict(offset) === 'reject'),
        )
      }),
    ))

  test('nothing is acknowledged before it is stored, and every chunk is announced before it is stored', () =>
    fc.assert(
      fc.asyncProperty(offsetsWithHoles, fc.integer({ min: 1, max: 9 }), async (offsets, maxRows) => {
        const scripted = createScriptedLog(recordsAt(offsets))
        const seen = await run({
          scripted,
          maxRows,
          store: ({ first, last }) => {
            const announced = scripted.commits.at(-1)!
            expect(announced.offset).toBe(first)
            expect(JSON.parse(announced.metadata)).toEqual({ intent: [first, last], mapping: '1' })
          },
        })
        await scripted.deliver()
        expect(seen.stored.flatMap(chunk => chunk.offsets)).toEqual(offsets)
        expect(scripted.commits.at(-1)).toEqual({ offset: offsets.at(-1)! + 1, metadata: '', deadLetters: 0 })
      }),
    ))

  test('after a kill at any commit or store, every record is stored in the announced chunks, even if the next fetch returns other ranges', () =>
    fc.assert(
      fc.asyncProperty(
        offsetsWithHoles,
        fc.array(fc.record({ at: fc.integer({ min: 0, max: 6 }), records: fc.integer({ min: 1, max: 9 }) }), { maxLength: 8 }),
        async (offsets, crashes) => {
          const scripted = createScriptedLog(recordsAt(offsets))
          const landed = new Set<number>()
          const announcedRanges: string[] = []
          for (const { at, records } of [...crashes, { at: Number.POSITIVE_INFINITY, records: 1_000 }]) {
            let steps = 0
            const step = () => {
              if (steps++ === at) throw new Error('killed')
            }
            scripted.failCommits(({ metadata }) => {
              step()
              if (metadata !== '') announcedRanges.push(metadata)
              return null
            })
            const seen = await run({
              scripted,
              maxRows: 5,
              store: chunk => {
                step()
                expect(announcedRanges.at(-1)).toBe(JSON.stringify({ intent: [chunk.first, chunk.last], mapping: '1' }))
                for (const item of chunk.items) landed.add(item.position.offset)
                step()
              },
            })
            const position = () => scripted.commits.at(-1)?.offset ?? 0
            try {
              while (position() <= offsets.at(-1)!) await scripted.deliver({ records })
            } catch (error) {
              expect(String(error)).toContain('killed')
              expect(seen.halts).toHaveLength(1)
            }
          }
          expect([...landed].sort((a, b) => a - b)).toEqual(offsets)
        },
      ),
    ))
})
