// Media of a message: what came inside a data URI as a Blob, never as text in the page; what lies elsewhere only when somebody opens it.
import { useEffect, useMemo, useState } from 'react'
import { traceText } from '../../text/trace.ts'
import { bytes as bytesText } from '../../text/units.ts'
import css from './content.module.css'

const { detail } = traceText

/** Undefined: it is no data URI of base64. */
function blobOf(source: string): Blob | undefined {
  const [, mime = '', data = ''] = /^data:([\w.+-]+\/[\w.+-]+)?[^,]*;base64,(.*)$/s.exec(source) ?? []
  if (data === '') return undefined
  try {
    const binary = atob(data)
    const bytes = new Uint8Array(binary.length)
    for (let at = 0; at < binary.length; at++) bytes[at] = binary.charCodeAt(at)
    return new Blob([bytes], { type: mime || 'application/octet-stream' })
  } catch {
    return undefined
  }
}

// A picture of SVG would be a document of its own.
const isPicture = (mime: string) => /^image\/(?:png|jpe?g|gif|webp|avif|bmp)$/.test(mime)

export function Media({ mime, source }: { readonly mime: string; readonly source: string }) {
  const blob = useMemo(() => blobOf(source), [source])
  const [url, setUrl] = useState<string | undefined>(undefined)
  useEffect(() => {
    if (blob === undefined) return
    const made = URL.createObjectURL(blob)
    setUrl(made)
    return () => URL.revokeObjectURL(made)
  }, [blob])
  if (blob !== undefined && url !== undefined) {
    if (isPicture(blob.type)) return <img className={css['media']} src={url} alt={`${blob.type}, ${bytesText(blob.size)}`} />
    // biome-ignore lint/a11y/useMediaCaption: what a model was given has no captions
    if (blob.type.startsWith('audio/')) return <audio controls src={url} />
    return (
      <a href={url} download>
        {blob.type}, {bytesText(blob.size)}
      </a>
    )
  }
  const remote = /^https?:\/\/([^/?#]+)/i.exec(source)
  if (remote !== null) {
    return (
      <p className={css['note']}>
        {detail.remote(remote[1]!)}{' '}
        <a href={source} target="_blank" rel="noopener noreferrer">
          {detail.open}
        </a>
      </p>
    )
  }
  return (
    <p className={css['note']}>
      {source.startsWith('@@@') ? detail.mediaStored : detail.media}: {mime} <code className={css['id']}>{source.slice(0, 200)}</code>
    </p>
  )
}
