import { untracked, useSignalEffect } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import { get } from '../api/request.ts'
import { onEvents } from './events.ts'
import { visible } from './visible.ts'
import { type Resource, type ResourceOptions, Watched } from './watched.ts'

/** Loads a value, and reloads it after events that may have changed it; not while the page is hidden. */
export function useResource<T>(path: string | undefined, options: ResourceOptions = {}): Resource<T> {
  const watched = useMemo(() => {
    const look = path === undefined ? undefined : (signal: AbortSignal) => get<T>(path, signal)
    return new Watched<T>({ look, onEvents, visible }, options)
  }, [path])
  useEffect(() => watched.start(), [watched])
  useSignalEffect(() => {
    if (visible.value) untracked(() => watched.seen())
  })
  return watched
}
