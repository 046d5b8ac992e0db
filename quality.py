from scratch import *
def knees(cl):
    out=[]
    for n in ('LeftLeg','RightLeg'):
        v=cl.velocity[:,ch.dofs(n)]; a=np.gradient(v,cl.dt,axis=0); out.append(np.linalg.norm(a,axis=1))
    return np.percentile(np.concatenate(out),99)
def jerk(cl):
    p=Kinematics(ch,cl.q).positions; return np.linalg.norm(np.diff(p,3,axis=0)/cl.dt**3,axis=2).mean()
def slide(cl):
    kk=Kinematics(ch,cl.q); s=[]
    for p in plants:
        for q in p.pins(ch):
            t=q.when.times(cl); fr=np.rint(t*cl.fps).astype(int)
            x=kk.point(q.handle.point)[fr][:,:2]; s.append(np.linalg.norm(np.diff(x,axis=0),axis=1)/cl.dt)
    return np.concatenate(s).mean()
import importlib; AD=importlib.import_module('poise.methods.adaptation.adapt')
if __name__=='__main__':
    print('orig slide %.2f cm/s knee %.1f jerk %.1f'%(100*slide(clip),knees(clip),jerk(clip)))
    for ex in (False,True):
      for hold in ((1,3.,10.,30.) if not ex else (30.,100.)):
        if ex: AD.EXACT=hold
        else: AD.HOLD=hold
        for items in ([*plants,pin],plants):
            r=A.adapt(clip,items,floor=True,joints=JOINTS,exact=ex)
            print(ex,hold,'slide %.2f knee x%.2f jerk x%.2f'%(100*slide(r.clip),knees(r.clip)/knees(clip),jerk(r.clip)/jerk(clip)),[(d.steps,d.reason,round(d.merit,2)) for d in r.descents],'%.3f'%r.seconds)
    show(r)
