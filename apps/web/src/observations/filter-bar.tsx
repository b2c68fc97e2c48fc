// Shows the filter as one line of text, which the user can edit.
import { type ClipboardEvent, type KeyboardEvent, type RefObject, useEffect, useId, useState } from 'react'
import { Button } from '../design/button.tsx'
import { parseFilter } from '../filter/parse.ts'
import { observationsText as text } from '../text/observations.ts'
import { type Completion, tokenAt, useCompletions } from './completions.ts'
import css from './filter-bar.module.css'
import { type Pasted, readPasted } from './pasted.ts'

interface FilterBarProps {
  readonly project: string
  readonly value: string
  readonly input: RefObject<HTMLInputElement | null>
  readonly note: string | undefined
  /**
   * The columns by which the page can filter. If undefined, the page can filter by all columns, and the bar also suggests values, each with
   * the number of its rows.
   */
  readonly columns?: ReadonlySet<string>
  readonly onApply: (text: string) => void
  readonly onPasted: (pasted: Pasted) => void
}

export function FilterBar({ project, value, input, note, columns, onApply, onPasted }: FilterBarProps) {
  const listId = useId()
  const [draft, setDraft] = useState(value)
  const [caret, setCaret] = useState<number | null>(null)
  const [at, setAt] = useState(-1)
  useEffect(() => setDraft(value), [value])
  const token = caret === null ? undefined : tokenAt(draft, caret)
  const completions = useCompletions(project, token, columns)
  const parsed = parseFilter(draft)
  const isOpen = caret !== null && completions.length > 0

  function apply(): void {
    setCaret(null)
    const pasted = readPasted(draft)
    if (pasted !== undefined) return onPasted(pasted)
    if (parseFilter(draft).ok) onApply(draft.trim())
  }

  function complete({ token: chosen, isOpen: isMore }: Completion): void {
    if (token === undefined || caret === null) return
    const next = `${draft.slice(0, token.from)}${chosen}${isMore ? '' : ' '}`
    setDraft(next + draft.slice(caret).trimStart())
    setAt(-1)
    setCaret(next.length)
    requestAnimationFrame(() => input.current?.setSelectionRange(next.length, next.length))
  }

  function onKeyDown(event: KeyboardEvent<HTMLInputElement>): void {
    const chosen = completions[at]
    if (event.key === 'ArrowDown' && isOpen) setAt(Math.min(at + 1, completions.length - 1))
    else if (event.key === 'ArrowUp' && isOpen) setAt(Math.max(at - 1, -1))
    else if (event.key === 'Tab' && isOpen && !event.shiftKey && (chosen ?? completions[0]) !== undefined && token?.text !== '') {
      complete(chosen ?? completions[0]!)
    } else if (event.key === 'Enter') {
      if (isOpen && chosen !== undefined) complete(chosen)
      else apply()
    } else if (event.key === 'Escape') {
      if (isOpen) setCaret(null)
      else {
        setDraft(value)
        event.currentTarget.blur()
      }
    } else return
    event.preventDefault()
  }

  function onPaste(event: ClipboardEvent): void {
    const pasted = draft.trim() === '' || draft === value ? readPasted(event.clipboardData.getData('text')) : undefined
    if (pasted === undefined) return
    event.preventDefault()
    setCaret(null)
    onPasted(pasted)
  }

  return (
    <div className={css['bar']}>
      <div className={css['field']}>
        <input
          ref={input}
          className={css['input']}
          role="combobox"
          aria-label={text.filter}
          aria-expanded={isOpen}
          aria-controls={listId}
          aria-autocomplete="list"
          aria-activedescendant={isOpen && at >= 0 ? `${listId}-${at}` : undefined}
          aria-invalid={!parsed.ok}
          placeholder={text.filterHint}
          spellCheck={false}
          autoComplete="off"
          value={draft}
          onChange={event => {
            setDraft(event.target.value)
            setCaret(event.target.selectionStart)
            setAt(-1)
          }}
          onFocus={event => setCaret(event.target.selectionStart)}
          onBlur={() => setCaret(null)}
          onKeyDown={onKeyDown}
          onPaste={onPaste}
        />
        <div role="listbox" id={listId} aria-label={text.suggestions} className={css['list']} hidden={!isOpen}>
          {isOpen &&
            completions.map((completion, index) => (
              <div
                key={completion.token}
                id={`${listId}-${index}`}
                role="option"
                tabIndex={-1}
                aria-selected={index === at}
                className={css['option']}
                // A click would come too late, because the input field loses focus before the click. `pointerdown` comes earlier.
                onPointerDown={event => {
                  event.preventDefault()
                  complete(completion)
                }}
              >
                <code>{completion.token}</code>
                <span>{completion.help}</span>
              </div>
            ))}
        </div>
        {!parsed.ok && caret === null && (
          <p className={css['error']} role="alert">
            <code>{draft.slice(parsed.from, parsed.to)}</code> {parsed.message}
          </p>
        )}
        {note !== undefined && (
          <p className={css['note']} role="status">
            {note}
          </p>
        )}
      </div>
      {draft !== value && (
        <Button look="primary" onClick={apply} disabled={!parsed.ok}>
          {text.apply}
        </Button>
      )}
      {value !== '' && draft === value && (
        <Button look="quiet" onClick={() => onApply('')} aria-label={text.clear} title={text.clear}>
          ✕
        </Button>
      )}
    </div>
  )
}
