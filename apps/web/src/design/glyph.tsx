// Icons for types of observations, recognizable without colors.
import css from './glyph.module.css'

/** Paths of the icons, drawn in a square of 14 units. */
const shapes: Readonly<Record<string, string>> = {
  GENERATION: 'M2.5 2.5h9v7h-5l-2.5 2.5v-2.5h-1.5z M5 5.2h4 M5 7h2.5',
  EMBEDDING: 'M3 3h.01 M7 3h.01 M11 3h.01 M3 7h.01 M7 7h.01 M11 7h.01 M3 11h.01 M7 11h.01 M11 11h.01',
  AGENT: 'M7 1.5l4.8 2.75v5.5L7 12.5l-4.8-2.75v-5.5z M7 5.5v3',
  CHAIN: 'M5.5 8.5l3-3 M6 4l1.2-1.2a2.5 2.5 0 0 1 3.9 3.9L9.8 8 M8 10l-1.2 1.2a2.5 2.5 0 0 1-3.9-3.9L4.2 6',
  TOOL: 'M11.7 3.6a3 3 0 0 1-4 3.9L3.9 11.4a1 1 0 0 1-1.4-1.4l3.9-3.8a3 3 0 0 1 3.9-4L8.6 4l1.3 1.3z',
  RETRIEVER: 'M6 2.2a3.8 3.8 0 1 0 0 7.6a3.8 3.8 0 0 0 0-7.6z M8.8 8.8l3 3',
  EVALUATOR: 'M2 7.5l3 3l7-7.5',
  GUARDRAIL: 'M7 1.8l4.5 1.7v3.3c0 2.6-1.8 4.6-4.5 5.5c-2.7-.9-4.5-2.9-4.5-5.5v-3.3z',
  SPAN: 'M1.8 5h10.4v4h-10.4z',
  EVENT: 'M7 2.2l4.8 4.8l-4.8 4.8l-4.8-4.8z',
}

const colors: Readonly<Record<string, string>> = {
  GENERATION: 'generation',
  EMBEDDING: 'generation',
  AGENT: 'agent',
  CHAIN: 'agent',
  TOOL: 'tool',
  RETRIEVER: 'tool',
  EVALUATOR: 'evaluator',
  GUARDRAIL: 'evaluator',
}

export const typeColor = (type: string): string => `var(--type-${colors[type] ?? 'span'})`
export const glyphPath = (type: string): string => shapes[type] ?? shapes['SPAN']!

export function Glyph({ type, label = type.toLowerCase() }: { readonly type: string; readonly label?: string }) {
  return (
    <svg className={css['glyph']} data-color={colors[type] ?? 'span'} viewBox="0 0 14 14" role="img" aria-label={label}>
      <path d={glyphPath(type)} />
    </svg>
  )
}

export function ErrorMark({ label }: { readonly label: string }) {
  return (
    <svg className={css['error']} viewBox="0 0 14 14" role="img" aria-label={label}>
      <path d="M7 1.5l6 10.5h-12z M7 5.2v3.2 M7 10.2v.1" />
    </svg>
  )
}
