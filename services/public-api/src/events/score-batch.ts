// Turns the body of POST /api/public/scores into records. Older SDKs send an object instead of an array. No side effects.

import { isSet, listOf } from '@svc-server/api/fields/fields'
import { maxScores } from '@svc-server/api/fields/limits'
import { microsOf } from '@svc-server/api/fields/times'
import { createScore, type ScoreInput } from '@svc-server/api/scores/score'
import { inTimeWindow, type TimeWindow } from '@svc-server/otlp/time-window'
import { z } from 'zod'
import { InvalidBody } from '../validation/invalid-body.ts'
import { type Issue, issuesOf, refused } from '../validation/refusals.ts'
import type { Terms } from './acceptance.ts'
import { outside } from './event.ts'

export type ScoreItem =
  | { readonly ok: true; readonly score: ScoreInput /** Undefined if the client sent no id. */; readonly timestampUs: number | undefined }
  | { readonly ok: false; readonly name: string | undefined; readonly id: string | undefined; readonly issues: readonly Issue[] }

export interface ScorePlan {
  readonly isArray: boolean
  readonly items: readonly ScoreItem[]
}

const array = listOf(z.unknown(), { min: 1, max: maxScores, message: 'Send 1 to 1,000 scores.' })

/** Throws InvalidBody. */
export function planScores(body: unknown, { window }: Pick<Terms, 'window'>): ScorePlan {
  if (!Array.isArray(body)) {
    const item = planScore(body, window)
    if (!item.ok) throw new InvalidBody(item.issues)
    return { isArray: false, items: [item] }
  }
  const scores = array.safeParse(body)
  if (!scores.success) throw new InvalidBody(issuesOf(scores.error))
  return { isArray: true, items: scores.data.map(score => planScore(score, window)) }
}

function planScore(given: unknown, window: TimeWindow): ScoreItem {
  const said = (key: 'id' | 'name') => {
    const value = typeof given === 'object' && given !== null ? (given as Readonly<Record<string, unknown>>)[key] : undefined
    return typeof value === 'string' && value !== '' ? value.slice(0, 200) : undefined
  }
  const reject = (issues: readonly Issue[]): ScoreItem => ({ ok: false, name: said('name'), id: said('id'), issues })
  const score = createScore.safeParse(given)
  if (!score.success) return reject(issuesOf(score.error))
  const { timestamp } = score.data
  if (!isSet(timestamp)) return { ok: true, score: score.data, timestampUs: undefined }
  const timestampUs = microsOf(timestamp)!
  if (!inTimeWindow(window, timestampUs / 1000)) return reject(refused(outside(timestamp, window), ['timestamp']))
  return { ok: true, score: score.data, timestampUs }
}
