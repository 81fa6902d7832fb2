// A page that opens on a story, or at the desk, needs more than its start: that comes beside the program, and not after it.
{
  const parts = PARTS;
  const place = location.hash.split('/')[1] ?? '';
  const hasStories = () => {
    try {
      return localStorage.getItem('fabula.has-stories') !== null;
    } catch {
      return false;
    }
  };
  const first = place === 'story' ? parts.story : place !== '' ? parts.desk : hasStories() ? parts.story : [];
  for (const name of first) {
    const link = document.createElement('link');
    Object.assign(link, { rel: 'preload', as: 'fetch', crossOrigin: 'anonymous', href: chunk(name) });
    document.head.append(link);
  }
}
