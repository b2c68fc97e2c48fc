// Shows the differences between the contents of two paired observations.
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { Failed, Loading } from '../../design/states.tsx'
import { traceText } from '../../text/trace.ts'
import { type Detail, observationQuery, type TraceRef } from '../load.ts'
import css from './compare.module.css'
import { jsonDifferences, wordDifferences } from './differences.ts'

const { compare: text, detail } = traceText

interface Side {
  readonly traceRef: TraceRef
  readonly id: string | undefined
}

function useDetail({ traceRef, id }: Side) {
  return useQuery({ ...observationQuery(traceRef, id ?? ''), enabled: id !== undefined })
}

export function PairDetail({ a, b }: { readonly a: Side; readonly b: Side }) {
  const [ofA, ofB] = [useDetail(a), useDetail(b)]
  const error = ofA.error ?? ofB.error
  if (error !== null) return <Failed error={error} />
  if ((a.id !== undefined && ofA.data === undefined) || (b.id !== undefined && ofB.data === undefined)) return <Loading rows={6} />
  const name = ofB.data?.name ?? ofA.data?.name ?? ''
  return (
    <>
      <h2>
        <bdi>{name}</bdi>
      </h2>
      <Facts a={ofA.data} b={ofB.data} />
      <Differences title={detail.message} a={ofA.data?.statusMessage ?? ''} b={ofB.data?.statusMessage ?? ''} />
      <Differences title={detail.input} a={ofA.data?.input ?? ''} b={ofB.data?.input ?? ''} />
      <Differences title={detail.output} a={ofA.data?.output ?? ''} b={ofB.data?.output ?? ''} />
    </>
  )
}

const factsOf = (of: Detail | undefined): Readonly<Record<string, string>> => ({
  model: of?.model ?? '',
  level: of?.level ?? '',
  prompt: of?.promptName === null || of === undefined ? '' : `${of.promptName} v${of.promptVersion}`,
  parameters: of === undefined ? '' : JSON.stringify(of.modelParameters),
})

function Facts({ a, b }: { readonly a: Detail | undefined; readonly b: Detail | undefined }) {
  if (a === undefined || b === undefined) return null
  const [ofA, ofB] = [factsOf(a), factsOf(b)]
  const differing = Object.keys(ofA).filter(name => ofA[name] !== ofB[name])
  if (differing.length === 0) return null
  return (
    <table className={css['paths']}>
      <tbody>
        {differing.map(name => (
          <PathRow key={name} path={name} a={ofA[name]} b={ofB[name]} />
        ))}
      </tbody>
    </table>
  )
}

function Differences({ title, a, b }: { readonly title: string; readonly a: string; readonly b: string }) {
  const byPath = useMemo(() => jsonDifferences(a, b), [a, b])
  const byWord = useMemo(() => (byPath === undefined ? wordDifferences(a, b) : []), [a, b, byPath])
  if (a === '' && b === '') return null
  const isSame = byPath === undefined ? a === b : byPath.length === 0
  return (
    <section className={css['difference']} aria-label={title}>
      <h3>
        {title} {isSame && <small>{text.same}</small>}
      </h3>
      {isSame ? null : byPath === undefined ? (
        <p className={css['words']} dir="auto">
          {byWord.map((piece, at) => (
            <Word key={at.toString()} where={piece.in} said={piece.text} />
          ))}
        </p>
      ) : (
        <table className={css['paths']}>
          <tbody>
            {byPath.map(({ path, a: ofA, b: ofB }) => (
              <PathRow key={path} path={path} a={ofA} b={ofB} />
            ))}
          </tbody>
        </table>
      )}
    </section>
  )
}

function Word({ where, said }: { readonly where: 'both' | 'a' | 'b'; readonly said: string }) {
  if (where === 'both') return said
  return where === 'a' ? <del>{said}</del> : <ins>{said}</ins>
}

const longest = 2_000
const short = (value: string) => (value.length > longest ? `${value.slice(0, longest)}… ${detail.some(longest, value.length)}` : value)

function PathRow({ path, a, b }: { readonly path: string; readonly a: string | undefined; readonly b: string | undefined }) {
  return (
    <tr>
      <th scope="row">
        <code>{path}</code>
      </th>
      <td>{a !== undefined && <del>{short(a)}</del>}</td>
      <td>{b !== undefined && <ins>{short(b)}</ins>}</td>
    </tr>
  )
}
