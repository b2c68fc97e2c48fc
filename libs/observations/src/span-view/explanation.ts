// Records what the rules find for one span, so that the value of a column can be explained. In production, spans have no `Trail`: each rule
// only checks for null.
import type { Attributed } from './attribute-store.ts'

export interface Finding {
  readonly rule: string
  /** The attributes that the rule used, each as `key` or `resource key`. */
  readonly attributes: readonly string[]
}

/** A note about one key of a map, or about an attribute that no column used. */
export interface Note {
  readonly about: 'usage' | 'cost' | 'left'
  readonly name: string
  /** Where a value comes from, or why an attribute was not used. */
  readonly why: string
}

const columnsOf = new WeakMap<object, string>()

/** Assigns a rule list to the column that it fills, so that explanations can name the column. */
export function forColumn<Rules extends readonly unknown[]>(column: string, rules: Rules): Rules {
  columnsOf.set(rules, column)
  return rules
}

export class Explanation {
  /** Findings by column. A later finding replaces an earlier one, just as a later write to the column replaces the earlier value. */
  readonly findings = new Map<string, Finding>()
  readonly notes: Note[] = []
  #used: string[] = []
  #sides: { input: string[]; output: string[] } = { input: [], output: [] }

  clear(): void {
    this.findings.clear()
    this.notes.length = 0
    this.begin()
  }

  /** Starts recording the attributes that the next rule uses. */
  begin(): void {
    this.#used = []
    this.#sides = { input: [], output: [] }
  }

  /** Assigns the attributes that were used since `begin` to the span's input or output. */
  side(side: 'input' | 'output'): void {
    for (const key of this.#used) this.#sides[side].push(key)
    this.#used = []
  }

  /** Records that the current rule used this attribute of the span. */
  used(span: Pick<Attributed, 'attributes'> & { readonly resourceCount: number }, entry: number): void {
    const { keys, table } = span.attributes
    this.#used.push((entry < span.resourceCount ? 'resource ' : '') + table.nameOf(keys[entry]!))
  }

  foundAttribute(rules: object, name: string): void {
    const column = columnsOf.get(rules)
    if (column === undefined) this.#used.push(name)
    else this.findings.set(column, { rule: name, attributes: [name] })
  }

  /** Records that the rule that was evaluated last has matched. */
  foundRule(rules: object, rule: string): void {
    const column = columnsOf.get(rules)
    if (column !== undefined) this.foundUsed(column, rule)
  }

  /** Records a decision based on the attributes that were used since `begin`. */
  foundUsed(column: string, rule: string): void {
    this.found(column, rule, this.#used)
  }

  /** Records a choice that was made without a rule list. */
  found(column: string, rule: string, attributes: readonly string[] = []): void {
    this.findings.set(column, { rule, attributes: [...new Set(attributes)] })
  }

  /** Records a source without an attribute number, such as an event or a part of the span. */
  use(what: string): void {
    this.#used.push(what)
  }

  /** Records that a convention for input and output matched. */
  foundSides(rule: string, present: { readonly input: boolean; readonly output: boolean }): void {
    for (const side of ['input', 'output'] as const) if (present[side]) this.found(side, rule, [...this.#sides[side], ...this.#used])
  }
}
